package io.artifactserver.benchmarks.load;

import java.net.InetSocketAddress;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Where a scenario's requests go.
 *
 * @param uri {@code http} or {@code https}
 * @param authorization value of the Authorization field; empty for none
 * @param deviceField in which each connection names a device of its own; empty for none
 */
record Target(URI uri, String authorization, String deviceField) {
  private static final AtomicLong DEVICES = new AtomicLong();

  Target(URI uri, String authorization) {
    this(uri, authorization, "");
  }

  boolean tls() {
    return "https".equals(uri.getScheme());
  }

  int port() {
    return uri.getPort() >= 0 ? uri.getPort() : tls() ? 443 : 80;
  }

  InetSocketAddress address() {
    return new InetSocketAddress(uri.getHost(), port());
  }

  /** Fields that every request of one connection has, and no other connection's. */
  List<String> fields() {
    List<String> fields = new ArrayList<>();
    if (!authorization.isEmpty()) {
      fields.add("Authorization: " + authorization);
    }
    if (!deviceField.isEmpty()) {
      fields.add(deviceField + ": load-" + DEVICES.incrementAndGet());
    }
    return fields;
  }

  @Override
  public String toString() {
    return uri.toString();
  }
}
