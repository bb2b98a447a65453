package io.artifactserver.rest.endtoend;

import io.artifactserver.rest.endtoend.MixKind.Visit;
import io.artifactserver.rest.endtoend.MixSite.Transport;
import io.artifactserver.rest.endtoend.Tally.Count;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;

/** Clients that come again and again, each from a thread of its own. Used by one thread. */
final class MixCrowd implements AutoCloseable {
  /** The seed in force: {@code -Dmix.seed}, or one of the time. */
  static final long SEED = Long.getLong("mix.seed", System.nanoTime());

  private final AtomicBoolean isOver = new AtomicBoolean();
  private final List<Thread> threads = new ArrayList<>();
  private final MixSite site;
  private final Tally tally;
  private final SplittableRandom seeds;

  MixCrowd(MixSite site, Tally tally, long seed) {
    this.site = site;
    this.tally = tally;
    this.seeds = new SplittableRandom(seed);
  }

  /** Whether a client comes once more. */
  interface Condition {
    boolean holds();
  }

  /** A client that comes until {@link #close}. */
  void add(MixKind kind, Transport transport) {
    add(kind, transport, () -> true);
  }

  /** A client that comes while the condition holds. */
  void add(MixKind kind, Transport transport, Condition condition) {
    String name = transport + " " + kind.name();
    Visit visit = new Visit(site, transport, seeds.split(), tally, name);
    visit.row();
    threads.add(
        Thread.ofPlatform()
            .name(name)
            .start(() -> {
              while (!isOver.get() && condition.holds()) {
                once(kind, visit);
              }
            }));
  }

  /** Returns when all those have gone whose conditions hold no more. */
  void await() throws InterruptedException {
    for (Thread thread : threads) {
      thread.join();
    }
  }

  private void once(MixKind kind, Visit visit) {
    try {
      kind.visit(visit);
    } catch (AssertionError | RuntimeException e) {
      tally.fail(visit.kind(), Count.WRONG, e);
    } catch (IOException e) {
      tally.fail(visit.kind(), Count.BROKEN, e);
    }
  }

  @Override
  public void close() {
    isOver.set(true);
    boolean interrupted = false;
    for (Thread thread : threads) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
