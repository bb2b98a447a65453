package io.artifactserver.rest.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class PollPaceTest {
  private static final int MAX_RATE = 100;

  private final AtomicLong nanos = new AtomicLong();
  private final PollPace pace =
      new PollPace(
          new PollProperties(Duration.ofSeconds(100), MAX_RATE, "id", "release"), nanos::get);

  @Test
  void fewDevicesComeAgainAfterTheIntervalAndAFifthAtMost() {
    long[] waits = LongStream.range(0, 400).map(_ -> pace.next(false)).toArray();
    assertThat(LongStream.of(waits).boxed()).allMatch(seconds -> seconds >= 100 && seconds <= 120);
    assertThat(LongStream.of(waits).distinct().count()).isGreaterThan(10);
  }

  @Test
  void devicesThatWaitForARolloutComeLater() {
    assertThat(pace.next(true)).isBetween(200L, 240L);
  }

  /** A hundred thousand in two seconds, and then when they were told to come again. */
  @Test
  void devicesThatComeBackTogetherAreSpread() {
    int devices = 100_000;
    long[] arrivals = new long[devices];
    for (int i = 0; i < devices; i++) {
      nanos.set(i * TimeUnit.SECONDS.toNanos(2) / devices);
      arrivals[i] = TimeUnit.NANOSECONDS.toSeconds(nanos.get()) + pace.next(false);
    }
    long first = LongStream.of(arrivals).min().orElseThrow();
    long last = LongStream.of(arrivals).max().orElseThrow();
    // They take a thousand seconds at the rate that is welcome.
    assertThat(last - first).isGreaterThan(10_000);
    long busiest =
        LongStream.of(arrivals)
            .boxed()
            .collect(Collectors.groupingBy(second -> second / 10, Collectors.counting()))
            .values()
            .stream()
            .mapToLong(Long::longValue)
            .max()
            .orElseThrow();
    assertThat(busiest).as("in ten seconds").isLessThan(10L * MAX_RATE * 5);
  }

  @Test
  void anOutageIsForgottenWhenItIsOver() {
    for (int i = 0; i < 10_000; i++) {
      pace.next(false);
    }
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(6));
    assertThat(LongStream.range(0, 100).map(_ -> pace.next(false)).max().orElseThrow())
        .isGreaterThan(200);
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(6));
    assertThat(LongStream.range(0, 100).map(_ -> pace.next(false)).max().orElseThrow())
        .isLessThanOrEqualTo(120);
  }

  @Test
  void nobodyIsSentAwayForMoreThanADay() {
    for (int i = 0; i < 1_000_000; i++) {
      assertThat(pace.next(true)).isLessThanOrEqualTo(86_400);
    }
  }
}
