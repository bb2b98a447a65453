package io.artifactserver.benchmarks.results;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.function.LongSupplier;

/** Whether the kernel tracks this machine's connections to itself, for a firewall or a NAT. */
final class ConnectionTracking {
  private static final String COUNT = "/proc/sys/net/netfilter/nf_conntrack_count";

  /** So many that others' coming and going in the same moment does not matter. */
  private static final int PROBES = 64;

  private ConnectionTracking() {}

  /** Whether connections made now are tracked. */
  static boolean isInUse() {
    // Where nothing was ever tracked there is no such file.
    return isInUse(
        () -> Machine.lines(COUNT).stream().mapToLong(Long::parseLong).findFirst().orElse(0));
  }

  /**
   * By trying: what was tracked before the rules went is remembered for days, so that the count
   * alone says little.
   */
  static boolean isInUse(LongSupplier count) {
    long before = count.getAsLong();
    try (ServerSocket server = new ServerSocket(0, PROBES, InetAddress.getLoopbackAddress())) {
      for (int i = 0; i < PROBES; i++) {
        // Tracked for some time after it is closed.
        new Socket(server.getInetAddress(), server.getLocalPort()).close();
      }
      return count.getAsLong() - before > PROBES / 2;
    } catch (IOException e) {
      return false;
    }
  }
}
