package io.artifactserver.core.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class QuotaTest {
  @Test
  void givesBackWhatIsNotKept() throws IngestException {
    Quota quota = new Quota(100, 1000, 7);
    try (Quota.Reservation reservation = quota.reserve(50)) {
      assertThat(quota.used()).isEqualTo(57);
      reservation.growTo(60);
      reservation.growTo(20);
      assertThat(quota.used()).isEqualTo(67);
    }
    assertThat(quota.used()).isEqualTo(7);
    try (Quota.Reservation reservation = quota.reserve(50)) {
      reservation.keep();
    }
    assertThat(quota.used()).isEqualTo(57);
    quota.release(50);
    assertThat(quota.used()).isEqualTo(7);
  }

  @Test
  void boundsOneArtifactAndAllOfThem() throws IngestException {
    Quota quota = new Quota(100, 150, 0);
    assertThatExceptionOfType(IngestException.TooLarge.class)
        .isThrownBy(() -> quota.reserve(101))
        .withMessageContaining("100");
    try (Quota.Reservation first = quota.reserve(100);
        Quota.Reservation second = quota.reserve(50)) {
      assertThatExceptionOfType(IngestException.QuotaExceeded.class)
          .isThrownBy(() -> second.growTo(51))
          .withMessageContaining("150");
      assertThatExceptionOfType(IngestException.TooLarge.class).isThrownBy(() -> first.growTo(101));
      assertThat(quota.used()).isEqualTo(150);
    }
    assertThat(quota.used()).isZero();
  }

  @Test
  void anUnlimitedQuotaSurvivesReleasesOfAnotherProcessesBlobs() throws IngestException {
    Quota quota = new Quota(Long.MAX_VALUE, Long.MAX_VALUE, 10);
    quota.release(25);
    assertThat(quota.used()).isZero();
    try (Quota.Reservation reservation = quota.reserve(5)) {
      assertThat(quota.used()).isEqualTo(5);
      reservation.keep();
    }
  }

  @Test
  void concurrentReservationsNeverExceedIt() throws Exception {
    long maxTotal = 1000;
    Quota quota = new Quota(100, maxTotal, 0);
    AtomicLong most = new AtomicLong();
    Callable<Integer> uploads =
        () -> {
          int refused = 0;
          for (int i = 0; i < 2_000; i++) {
            try (Quota.Reservation reservation = quota.reserve(i % 90)) {
              reservation.growTo(i % 100);
              most.accumulateAndGet(quota.used(), Math::max);
            } catch (IngestException.QuotaExceeded _) {
              refused++;
            }
          }
          return refused;
        };
    try (ExecutorService executor = Executors.newFixedThreadPool(16)) {
      List<Future<Integer>> running = new ArrayList<>();
      for (int i = 0; i < 16; i++) {
        running.add(executor.submit(uploads));
      }
      for (Future<Integer> one : running) {
        one.get();
      }
    }
    assertThat(most.get()).isPositive().isLessThanOrEqualTo(maxTotal);
    assertThat(quota.used()).isZero();
  }
}
