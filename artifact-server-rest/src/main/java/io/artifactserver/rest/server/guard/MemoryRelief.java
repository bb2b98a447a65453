package io.artifactserver.rest.server.guard;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.io.ArrayByteBufferPool;
import org.eclipse.jetty.io.ByteBufferPool;
import org.jspecify.annotations.Nullable;

/**
 * Ends the connections that have taken nothing for longest when the memory for buffers outside the
 * heap is about to be missed. A client that takes nothing keeps a buffer or two of it: thousands of
 * them could keep all. One that waits for the server is never ended ({@link Stalls}). Used by the
 * thread that looks at all connections.
 */
final class MemoryRelief {
  /** How often to look. */
  static final Duration PERIOD = Duration.ofMillis(100);

  /** Share of the memory for buffers beyond which clients that take nothing are ended. */
  private static final double MAX_DIRECT_SHARE = 0.75;

  /**
   * A client that has taken nothing for so long does not read: several looks, and more than the
   * round trip of a slow network. Longer, and those that never read would have used up the rest.
   */
  static final Duration MIN_STALL = Duration.ofSeconds(1);

  /** Share of those clients that is ended at a time. */
  private static final int ENDED_SHARE = 8;

  private final BufferPoolMXBean directMemory =
      ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
          .filter(bean -> bean.getName().equals("direct"))
          .findFirst()
          .orElseThrow();
  private final long max = maxDirectMemory();
  private volatile @Nullable ArrayByteBufferPool buffers;

  /**
   * Where connections get their buffers from. Those that wait in it for the next are not missed.
   */
  void use(ByteBufferPool pool) {
    buffers = pool instanceof ArrayByteBufferPool known ? known : null;
  }

  /** Returns how many of the connections it ended. */
  int endStalled(Collection<Watched> open) {
    ArrayByteBufferPool pool = buffers;
    long idle = pool == null ? 0 : pool.getAvailableDirectMemory();
    if (directMemory.getMemoryUsed() - idle < MAX_DIRECT_SHARE * max) {
      return 0;
    }
    List<Watched> ended = choose(open, KernelSockets.read(), System.nanoTime());
    for (Watched each : ended) {
      each.endPoint().close(new TimeoutException("The server has too little memory for buffers"));
    }
    return ended.size();
  }

  /**
   * Looks at all connections.
   *
   * @param now as {@link System#nanoTime} has it
   * @return those that end: an eighth of those that are stalled, for longest
   */
  static List<Watched> choose(Collection<Watched> open, KernelSockets sockets, long now) {
    Stalls stalls = new Stalls(sockets, now);
    List<Watched> stalled =
        open.stream()
            .map(watched -> new Stalled(watched, stalls.millis(watched)))
            .filter(each -> each.millis >= MIN_STALL.toMillis())
            .sorted(Comparator.comparingLong(Stalled::millis).reversed())
            .map(Stalled::watched)
            .toList();
    return stalled.subList(0, Math.ceilDiv(stalled.size(), ENDED_SHARE));
  }

  private static long maxDirectMemory() {
    HotSpotDiagnosticMXBean options =
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
    long set =
        options == null ? 0 : Long.parseLong(options.getVMOption("MaxDirectMemorySize").getValue());
    // As Java does where nothing is set.
    return set > 0 ? set : Runtime.getRuntime().maxMemory();
  }

  /**
   * @param millis as they were at one moment: they change all the time
   */
  private record Stalled(Watched watched, long millis) {}
}
