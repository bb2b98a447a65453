package io.artifactserver.rest.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.artifactserver.core.catalog.CatalogUnavailableException;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.progress.DeviceProgress;
import io.artifactserver.core.progress.ProgressBook;
import io.artifactserver.core.progress.ProgressStore;
import io.artifactserver.core.progress.ProgressSubject;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

class RolloutsTest {
  private final ProgressSubject subject =
      new ProgressSubject("boards", Digest.of(DigestAlgorithm.SHA_256, new byte[32]), 100);
  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
  private final SlowStore store = new SlowStore();
  private final Rollouts rollouts =
      new Rollouts(
          new ProgressBook(
              store, InstantSource.system(), new ProgressBook.Bounds(10, 10, 10, 10), _ -> {}),
          store,
          InstantSource.system(),
          nanos::get);

  @Test
  void manyPagesAskOnce() {
    store.cost = Duration.ofMillis(1);
    for (int i = 0; i < 50; i++) {
      rollouts.of(subject);
    }
    assertThat(store.asked).isEqualTo(1);
    nanos.addAndGet(Duration.ofMillis(500).toNanos());
    assertThat(rollouts.of(subject).summary().devices()).isEqualTo(2);
  }

  /** Pages that ask each second take a tenth of the time of a rollout that takes a second. */
  @Test
  void whatTakesLongIsAskedLessOften() {
    store.cost = Duration.ofSeconds(1);
    for (int i = 0; i < 110; i++) {
      rollouts.of(subject);
      nanos.addAndGet(Duration.ofSeconds(1).toNanos());
    }
    assertThat(store.asked).isBetween(9, 11);
  }

  @Test
  void afterAFailureItIsAskedAgain() {
    rollouts.of(subject);
    nanos.addAndGet(Duration.ofMinutes(1).toNanos());
    store.isAway = true;
    assertThatExceptionOfType(CatalogUnavailableException.class)
        .isThrownBy(() -> rollouts.of(subject));
    store.isAway = false;
    assertThat(rollouts.of(subject).summary().devices()).isEqualTo(2);
  }

  /** Knows how often it was asked, and nothing else. */
  private final class SlowStore implements ProgressStore {
    private Duration cost = Duration.ZERO;
    private boolean isAway;
    private int asked;

    @Override
    public Summary summary(ProgressSubject of, Instant since) {
      if (isAway) {
        throw new CatalogUnavailableException("away", new IllegalStateException());
      }
      nanos.addAndGet(cost.toNanos());
      asked++;
      return new Summary(asked, 0, 0, 0, 0);
    }

    @Override
    public List<DeviceProgress> list(ProgressSubject of, String after, int limit) {
      return List.of();
    }

    @Override
    public List<DeviceProgress> missing(ProgressSubject of, String after, int limit) {
      return List.of();
    }

    @Override
    public Added add(List<Addition> additions, Predicate<Addition> mayBegin) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long count() {
      throw new UnsupportedOperationException();
    }

    @Override
    public List<ArtifactProgress> ofDevice(String device, int limit) {
      throw new UnsupportedOperationException();
    }

    @Override
    public int deleteUnchangedSince(Instant instant, int limit) {
      throw new UnsupportedOperationException();
    }

    @Override
    public int deleteOrphans(int limit) {
      throw new UnsupportedOperationException();
    }
  }
}
