package io.artifactserver.rest.connection;

import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.http2.HTTP2Connection;
import org.eclipse.jetty.io.ArrayByteBufferPool;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.SelectableChannelEndPoint;
import org.jspecify.annotations.Nullable;

/**
 * Ends the connections that have taken nothing for longest when the memory for buffers is about to
 * be missed. Used by the thread that looks at all connections.
 */
final class MemoryRelief {
  /** How often to look. */
  static final Duration PERIOD = Duration.ofMillis(100);

  /** Share of the memory for buffers beyond which clients that take nothing are ended. */
  private static final double MAX_DIRECT_SHARE = 0.75;

  /** Share of those clients that is ended at a time. */
  private static final int ENDED_SHARE = 8;

  private final DirectMemory directMemory = new DirectMemory();
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
    if (directMemory.usedShare(idle) < MAX_DIRECT_SHARE) {
      return 0;
    }
    List<SelectableChannelEndPoint> stalled =
        open.stream()
            .map(Watched::endPoint)
            .filter(endPoint -> endPoint.getWriteFlusher().isPending() || hasStreams(endPoint))
            .map(endPoint -> new Stalled(endPoint, endPoint.getIdleFor()))
            .sorted(Comparator.comparingLong(Stalled::millis).reversed())
            .map(Stalled::endPoint)
            .toList();
    var ended = stalled.subList(0, Math.ceilDiv(stalled.size(), ENDED_SHARE));
    for (SelectableChannelEndPoint endPoint : ended) {
      endPoint.close(new TimeoutException("The server has too little memory for buffers"));
    }
    return ended.size();
  }

  /** Whose windows may be closed, which its socket does not show. */
  private static boolean hasStreams(SelectableChannelEndPoint endPoint) {
    Connection outer = endPoint.getConnection();
    return outer != null
        && Watched.http(outer) instanceof HTTP2Connection http2
        && !http2.getSession().getStreams().isEmpty();
  }

  /**
   * @param millis as they were at one moment: they change all the time
   */
  private record Stalled(SelectableChannelEndPoint endPoint, long millis) {}
}
