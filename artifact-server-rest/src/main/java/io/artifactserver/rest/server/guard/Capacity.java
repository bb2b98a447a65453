package io.artifactserver.rest.server.guard;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How many connections this process has room for, and how much it may hold for them: what is
 * configured, and less where the heap or the limit of open files is small. The arithmetic is that
 * of docs/security.md, "Memory". Immutable.
 *
 * @param connections most at a time
 * @param held most bytes
 */
record Capacity(int connections, long held) {
  private static final Logger LOG = LoggerFactory.getLogger(Connections.class);

  /** Beyond the limit as many are answered with 503 as this part of it; the rest is just closed. */
  static final int ANSWERED_SHARE = 10;

  /** For files, the database and whatever the program itself has open. */
  private static final int RESERVED_DESCRIPTORS = 1000;

  /** The program, what the catalog remembers, uploads: mostly less than all of it. */
  private static final long OTHERS = 80_000_000;

  private static final int READ_AHEAD_SHARE = 3;
  private static final int CONNECTION_LENGTH = 7000;
  private static final double CONNECTIONS_SHARE = 9.0 / 16;
  private static final double HELD_SHARE = 3.0 / 8;
  private static final int MIN_CONNECTIONS = 500;
  private static final int MIN_HELD = 4_000_000;

  /** Says so where it is less than what is configured. */
  static Capacity of(ConnectionProperties properties) {
    long heap = Runtime.getRuntime().maxMemory();
    int byDescriptors = mostByDescriptors();
    Capacity capacity = of(properties, heap, byDescriptors);
    if (capacity.connections < properties.max()) {
      LOG.warn(
          "Takes {} connections, not artifact-server.connections.max={}: {}",
          capacity.connections,
          properties.max(),
          capacity.connections == byDescriptors
              ? "the limit of open files is too low. Raise it (ulimit -n, LimitNOFILE)"
              : "a heap of " + heap / 1_000_000 + " MB has no room for more (-Xmx)");
    }
    return capacity;
  }

  /**
   * @param heap most bytes of it
   * @param byDescriptors connections that the limit of open files leaves room for
   */
  static Capacity of(ConnectionProperties properties, long heap, int byDescriptors) {
    long room = heap - heap / READ_AHEAD_SHARE - OTHERS;
    int byHeap =
        Math.clamp(
            (long) (room * CONNECTIONS_SHARE) / CONNECTION_LENGTH,
            MIN_CONNECTIONS,
            Integer.MAX_VALUE);
    long heldByHeap = Math.max((long) (room * HELD_SHARE), MIN_HELD);
    return new Capacity(
        Math.min(properties.max(), Math.min(byDescriptors, byHeap)),
        Math.min(properties.maxHeld().toBytes(), heldByHeap));
  }

  /** Without descriptors nothing is accepted, answered with 503, or read from the disk. */
  private static int mostByDescriptors() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
        ? Math.clamp(
            (unix.getMaxFileDescriptorCount() - RESERVED_DESCRIPTORS)
                * ANSWERED_SHARE
                / (ANSWERED_SHARE + 1),
            1,
            Integer.MAX_VALUE)
        : Integer.MAX_VALUE;
  }
}
