package io.artifactserver.rest.server.engine;

import io.artifactserver.core.limit.FairQueue;
import io.artifactserver.core.limit.Network;
import io.artifactserver.core.thread.DaemonThreads;
import io.artifactserver.rest.server.guard.Connections;
import java.util.Comparator;
import java.util.Optional;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.eclipse.jetty.io.EndPoint;
import org.jspecify.annotations.Nullable;

/**
 * Runs the handshakes and first heads of connections that have not asked for anything yet. The
 * selector's own thread does it in its {@link Turns}, because to wake another one costs as much as
 * a step of a resumed handshake. Steps that come in between go to other threads, one a core, and so
 * do all steps while one waits for those. A storm makes newcomers wait, not a selector's downloads.
 *
 * <p>Clients take turns, however many connections each of them has. Of a client's connections the
 * one that has sent least is served first, and among equals the one that waits longest: so a short
 * head waits for none of those that go on and on, even behind one address. Thread-safe.
 */
final class Newcomers {
  private final Function<EndPoint, Optional<Network>> clients;
  private final ThreadPoolExecutor threads;

  /** Guarded by this object. Each step is a connection's, and connections are bounded. */
  private final FairQueue<Optional<Network>, Step> waiting = FairQueue.by(Step.FIRST);

  /** Steps that run on those threads, or wait for one. */
  private final AtomicInteger handedOn = new AtomicInteger();

  /** Steps that were ever handed on. */
  private final AtomicLong count = new AtomicLong();

  private final Turns turns;

  /**
   * @param clients whom a connection counts for; those of which nobody knows are one client
   */
  Newcomers(Function<EndPoint, Optional<Network>> clients) {
    this(clients, new Turns(System::nanoTime), Runtime.getRuntime().availableProcessors());
  }

  Newcomers(Function<EndPoint, Optional<Network>> clients, Turns turns, int threads) {
    this.clients = clients;
    this.turns = turns;
    this.threads = DaemonThreads.pool("newcomer-", threads);
  }

  /**
   * Runs a step now, or soon.
   *
   * @param endPoint the connection's
   * @param received bytes that the connection has sent before
   * @return the step; null if it has run
   */
  @Nullable Step run(EndPoint endPoint, long received, Runnable step) {
    return handedOn.get() == 0 && turns.run(step) ? null : handOn(endPoint, received, step);
  }

  /** Runs it on a thread of its own, when no newcomer of its client waits. */
  void runLast(EndPoint endPoint, Runnable step) {
    var _ = handOn(endPoint, Long.MAX_VALUE, step);
  }

  private Step handOn(EndPoint endPoint, long received, Runnable task) {
    Optional<Network> client = clients.apply(endPoint);
    Step step = new Step(received, count.incrementAndGet(), task);
    if (Connections.unwrapped(endPoint) instanceof FairEndPoint socket) {
      socket.waitFor(step);
    }
    handedOn.incrementAndGet();
    synchronized (this) {
      waiting.add(client, step);
    }
    threads.execute(() -> next().run());
    return step;
  }

  private synchronized Step next() {
    // As many steps as calls of this method.
    return waiting.poll().orElseThrow();
  }

  /** A step that a connection waits for. */
  final class Step {
    private static final Comparator<Step> FIRST =
        Comparator.<Step>comparingLong(step -> step.received)
            .thenComparingLong(step -> step.number);

    private final long received;
    private final long number;
    private volatile @Nullable Runnable task;

    private Step(long received, long number, Runnable task) {
      this.received = received;
      this.number = number;
      this.task = task;
    }

    private void run() {
      try {
        Runnable wanted = task;
        if (wanted != null) {
          wanted.run();
        }
      } finally {
        handedOn.decrementAndGet();
      }
    }

    /** Nobody needs it any more, so it does not keep the memory of its connection. */
    void forget() {
      task = null;
    }
  }
}
