package io.artifactserver.benchmarks.load;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;

/** Whether the kernel tracks this machine's connections to itself, for a firewall or a NAT. */
final class ConnectionTracking {
  private static final Path COUNT = Path.of("/proc/sys/net/netfilter/nf_conntrack_count");

  /** So many that others' coming and going in the same moment does not matter. */
  private static final int PROBES = 64;

  /** Reads how many connections are tracked. */
  @FunctionalInterface
  interface Count {
    long read() throws IOException;
  }

  private ConnectionTracking() {}

  /** Whether connections made now are tracked. */
  static boolean isInUse() throws IOException {
    // Where nothing was ever tracked there is no such file.
    return isInUse(
        () -> Files.exists(COUNT) ? Long.parseLong(Files.readAllLines(COUNT).getFirst()) : 0);
  }

  /**
   * By trying: what was tracked before the rules went is remembered for days, so that the count
   * alone says little.
   */
  static boolean isInUse(Count count) throws IOException {
    long before = count.read();
    try (ServerSocket server = new ServerSocket(0, PROBES, InetAddress.getLoopbackAddress())) {
      for (int i = 0; i < PROBES; i++) {
        // Tracked for some time after it is closed.
        new Socket(server.getInetAddress(), server.getLocalPort()).close();
      }
      return count.read() - before > PROBES / 2;
    }
  }
}
