package io.artifactserver.rest.doctor;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What TCP may do on this machine. Immutable, thread-safe.
 *
 * @param connections that are expected at a time
 */
record NetworkCheck(Host host, int connections) {
  static final Duration CONTINENT = Duration.ofMillis(50);
  static final Duration OCEAN = Duration.ofMillis(200);

  /**
   * The share of a send buffer that is payload on its way, on average: the kernel counts its own
   * bookkeeping too, and wakes the server only when a third is free. Measured at 200 ms, from 4 to
   * 16 MiB: docs/networking.md.
   */
  private static final double IN_FLIGHT = 0.75;

  /** Bytes; what a device that takes 44 MB/s over an ocean needs. */
  private static final long GOOD_BUFFER = 16L << 20;

  private static final long GREAT_BUFFER = 64L << 20;

  /** Bytes; a stream of 20 MB/s over 50 ms, for uploads. */
  private static final long GOOD_RECEIVE_BUFFER = 4L << 20;

  /** Bytes; two pieces. */
  private static final int GOOD_UNSENT = 128 * 1024;

  private static final long MAX_UNSENT = 1 << 20;

  /** What the server asks for, and the kernel cuts without a word. */
  private static final int BACKLOG = 4096;

  private static final String COMPOSE =
      "TCP_BUFFER=%d docker compose up --detach    # docs/networking.md, Sysctls";

  List<Finding> findings() {
    List<Finding> findings = new ArrayList<>();
    findings.add(sendBuffer());
    findings.add(receiveBuffer());
    findings.add(congestionControl());
    findings.add(slowStartAfterIdle());
    findings.add(unsent());
    findings.add(backlog());
    findings.add(synBacklog());
    bufferMemory().ifPresent(findings::add);
    trackedConnections().ifPresent(findings::add);
    return findings;
  }

  /**
   * The most that one connection carries: {@value #IN_FLIGHT} of the largest send buffer in every
   * round trip, without loss and with a receiver who takes it.
   *
   * @return bytes a second; empty if the machine does not tell its buffers
   */
  Optional<Double> singleStream(Duration roundTrip) {
    OptionalLong buffer = host.limit("net.ipv4.tcp_wmem");
    return buffer.isEmpty()
        ? Optional.empty()
        : Optional.of(IN_FLIGHT * buffer.getAsLong() * 1e9 / roundTrip.toNanos());
  }

  private Finding sendBuffer() {
    String name = "net.ipv4.tcp_wmem";
    OptionalLong buffer = host.limit(name);
    if (buffer.isEmpty()) {
      return unseen(name);
    }
    String meaning =
        "one connection sends at most %s at a round trip of 50 ms, %s at 200 ms"
            .formatted(
                singleStream(CONTINENT).map(Amount::rate).orElseThrow(),
                singleStream(OCEAN).map(Amount::rate).orElseThrow());
    String value = host.setting(name).orElseThrow();
    return buffer.getAsLong() >= GOOD_BUFFER
        ? Finding.ok(name, value, meaning)
        : Finding.warn(
            name,
            value,
            meaning,
            host.isContainer()
                ? COMPOSE.formatted(GREAT_BUFFER)
                : set(name, "4096 16384 " + GREAT_BUFFER));
  }

  private Finding receiveBuffer() {
    String name = "net.ipv4.tcp_rmem";
    OptionalLong buffer = host.limit(name);
    if (buffer.isEmpty()) {
      return unseen(name);
    }
    String value = host.setting(name).orElseThrow();
    String room = Amount.room(buffer.getAsLong()) + " at most to receive an upload with";
    return buffer.getAsLong() >= GOOD_RECEIVE_BUFFER
        ? Finding.ok(name, value, room)
        : Finding.warn(
            name,
            value,
            room + ": uploads from afar are slow",
            host.isContainer()
                ? COMPOSE.formatted(GREAT_BUFFER)
                : set(name, "4096 131072 " + GREAT_BUFFER));
  }

  private Finding congestionControl() {
    String name = "net.ipv4.tcp_congestion_control";
    Optional<String> value = host.setting(name);
    if (value.isEmpty()) {
      return unseen(name);
    }
    if (value.get().startsWith("bbr")) {
      return Finding.ok(name, value.get(), "keeps its rate when packets are lost");
    }
    boolean available =
        host.setting("net.ipv4.tcp_available_congestion_control").orElse("").contains("bbr");
    String onHost = "sysctl -w " + name + "=bbr";
    return Finding.warn(
        name,
        value.get(),
        "takes every lost packet for congestion; bbr was 7 times as fast at 200 ms and 0.1 % loss",
        (available ? onHost : "modprobe tcp_bbr && " + onHost)
            + (host.isContainer()
                ? "    # on the host, then recreate the container, which takes it over"
                : ""));
  }

  private Finding slowStartAfterIdle() {
    String name = "net.ipv4.tcp_slow_start_after_idle";
    Optional<String> value = host.setting(name);
    if (value.isEmpty()) {
      return unseen(name);
    }
    return value.get().equals("0")
        ? Finding.ok(name, "0", "a connection that paused goes on at the rate it had")
        : Finding.warn(
            name,
            value.get(),
            "a device that writes its flash between two ranges starts slowly after each pause",
            host.isContainer() ? COMPOSE.formatted(GOOD_BUFFER) : set(name, "0"));
  }

  private Finding unsent() {
    String name = "net.ipv4.tcp_notsent_lowat";
    OptionalLong unsent = host.limit(name);
    if (unsent.isEmpty()) {
      return unseen(name);
    }
    String value = unsent.getAsLong() + "";
    return unsent.getAsLong() <= MAX_UNSENT
        ? Finding.ok(name, value, "a slow device's socket takes little more than is on its way")
        : Finding.warn(
            name,
            value,
            "a slow device's socket takes megabytes at once: thousands that start together delay"
                + " the others",
            host.isContainer() ? COMPOSE.formatted(GOOD_BUFFER) : set(name, GOOD_UNSENT + ""));
  }

  private Finding backlog() {
    String name = "net.core.somaxconn";
    OptionalLong limit = host.limit(name);
    if (limit.isEmpty()) {
      return unseen(name);
    }
    long queue = Math.min(limit.getAsLong(), BACKLOG);
    String meaning = queue + " new connections at once wait to be accepted; more try again in 1 s";
    return queue == BACKLOG
        ? Finding.ok(name, limit.getAsLong() + "", meaning)
        : Finding.warn(name, limit.getAsLong() + "", meaning, set(name, BACKLOG + ""));
  }

  private Finding synBacklog() {
    String name = "net.ipv4.tcp_max_syn_backlog";
    OptionalLong limit = host.limit(name);
    if (limit.isEmpty()) {
      return unseen(name);
    }
    String value = limit.getAsLong() + "";
    if (host.setting("net.ipv4.tcp_syncookies").orElse("").equals("0")
        && limit.getAsLong() < BACKLOG) {
      return Finding.warn(
          name,
          value,
          "without SYN cookies, more connections than that at once are refused",
          set("net.ipv4.tcp_syncookies", "1"));
    }
    return Finding.ok(name, value, "half-open connections; SYN cookies take what is beyond them");
  }

  /** Pages that all connections of the machine share, those of containers included. */
  private Optional<Finding> bufferMemory() {
    String name = "net.ipv4.tcp_mem";
    OptionalLong pages = host.limit(name);
    if (pages.isEmpty()) {
      return Optional.empty();
    }
    long bytes = pages.getAsLong() * 4096;
    long needed = connections * (64L << 10);
    String meaning = "all TCP buffers of the machine together take at most " + Amount.room(bytes);
    return Optional.of(
        bytes >= needed
            ? Finding.ok(name, host.setting(name).orElseThrow(), meaning)
            : Finding.warn(
                name,
                host.setting(name).orElseThrow(),
                meaning + "; %d connections need %s".formatted(connections, Amount.room(needed)),
                set(name, "%d %d %d".formatted(needed / 8192, needed * 3 / 16384, needed / 4096))));
  }

  private Optional<Finding> trackedConnections() {
    String name = "net.netfilter.nf_conntrack_max";
    OptionalLong limit = host.limit(name);
    if (limit.isEmpty()) {
      return Optional.empty();
    }
    String value = limit.getAsLong() + "";
    // A connection that ended is remembered for two minutes.
    return Optional.of(
        limit.getAsLong() >= connections * 2L
            ? Finding.ok(name, value, "connections that the firewall or Docker's NAT remembers")
            : Finding.warn(
                name,
                value,
                "beyond that many connections the firewall drops packets",
                set(name, Math.max(262144, connections * 2L) + "")));
  }

  private static Finding unseen(String name) {
    return Finding.warn(name, "unknown", "cannot be read here; look on the host", "sysctl " + name);
  }

  private static String set(String name, String value) {
    return "sysctl -w %s=%s".formatted(name, value.contains(" ") ? "'" + value + "'" : value);
  }
}
