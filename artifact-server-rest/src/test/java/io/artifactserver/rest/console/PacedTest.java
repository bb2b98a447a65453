package io.artifactserver.rest.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.artifactserver.core.catalog.CatalogUnavailableException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class PacedTest {
  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
  private Duration cost = Duration.ofMillis(1);
  private boolean isAway;
  private int asked;
  private final Paced<Integer> paced = new Paced<>(this::answer, nanos::get);

  @Test
  void manyPagesAskOnce() {
    for (int i = 0; i < 50; i++) {
      assertThat(paced.get()).isEqualTo(1);
    }
    pass(Duration.ofMillis(500));
    assertThat(paced.get()).isEqualTo(2);
  }

  /** Pages that ask each second take a tenth of the time of a question that takes a second. */
  @Test
  void whatTakesLongIsAskedLessOften() {
    cost = Duration.ofSeconds(1);
    for (int i = 0; i < 110; i++) {
      paced.get();
      pass(Duration.ofSeconds(1));
    }
    assertThat(asked).isBetween(9, 11);
  }

  @Test
  void afterAFailureItIsAskedAgain() {
    paced.get();
    pass(Duration.ofMinutes(1));
    isAway = true;
    assertThatExceptionOfType(CatalogUnavailableException.class).isThrownBy(paced::get);
    isAway = false;
    assertThat(paced.get()).isEqualTo(2);
  }

  private int answer() {
    if (isAway) {
      throw new CatalogUnavailableException("away", new IllegalStateException());
    }
    pass(cost);
    return ++asked;
  }

  private void pass(Duration time) {
    nanos.addAndGet(time.toNanos());
  }
}
