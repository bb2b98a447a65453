package io.artifactserver.rest.console;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.artifactserver.core.progress.ProgressSubject;
import io.artifactserver.core.progress.RolloutStore;
import io.artifactserver.core.progress.Sending;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.function.LongSupplier;

/** How far all devices are, {@linkplain Paced paced}. Thread-safe. */
final class Rollouts {
  private static final Duration KEPT = Duration.ofMinutes(10);
  private static final int MAX_KEPT = 32;

  private final RolloutStore store;
  private final InstantSource clock;
  private final LongSupplier nanoTime;
  private final Paced<Long> active;
  private final Cache<ProgressSubject, Paced<Rollout>> rollouts =
      Caffeine.newBuilder().maximumSize(MAX_KEPT).expireAfterAccess(KEPT).build();

  private final Cache<List<ProgressSubject>, Paced<Progress>> releases =
      Caffeine.newBuilder().maximumSize(MAX_KEPT).expireAfterAccess(KEPT).build();

  /**
   * @param nanoTime as {@link System#nanoTime}
   */
  Rollouts(RolloutStore store, InstantSource clock, LongSupplier nanoTime) {
    this.store = store;
    this.clock = clock;
    this.nanoTime = nanoTime;
    this.active = new Paced<>(() -> store.active(clock.instant().minus(Sending.GAP)), nanoTime);
  }

  /** Returns a rollout as it was a moment ago; asks the database now and then. */
  Rollout of(ProgressSubject subject) {
    return rollouts.get(subject, this::paced).get();
  }

  /**
   * Returns how far devices were with the artifacts of a release a moment ago; asks the database
   * now and then.
   *
   * @param subjects one at least, of one repository
   */
  Progress of(List<ProgressSubject> subjects) {
    return releases
        .get(subjects, each -> new Paced<>(() -> Progress.of(each, store), nanoTime))
        .get();
  }

  /**
   * Returns how many devices were sent something within the last minute; asks the database now and
   * then.
   */
  long active() {
    return active.get();
  }

  private Paced<Rollout> paced(ProgressSubject subject) {
    return new Paced<>(() -> Rollout.of(subject, store, clock.instant()), nanoTime);
  }
}
