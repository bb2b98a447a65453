package io.artifactserver.rest.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class WrongSecretsTest {
  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
  private final WrongSecrets wrong = new WrongSecrets(nanos::get);

  @Test
  void anAddressHasAHundredAndThenTenASecond() {
    for (int i = 0; i < 100; i++) {
      assertThat(wrong.isAddressExhausted("a")).isFalse();
      wrong.wrongOfAddress("a");
    }
    assertThat(wrong.isAddressExhausted("a")).isTrue();
    assertThat(wrong.isAddressExhausted("b")).isFalse();
    int let = 0;
    for (int i = 0; i < 100; i++) {
      pass(Duration.ofMillis(100));
      if (!wrong.isAddressExhausted("a")) {
        wrong.wrongOfAddress("a");
        let++;
      }
    }
    assertThat(let).isEqualTo(100);
  }

  @Test
  void whoeverStopsIsLetInAgain() {
    for (int i = 0; i < 1_000_000; i++) {
      wrong.wrongOfAddress("a");
    }
    assertThat(wrong.isAddressExhausted("a")).isTrue();
    pass(Duration.ofSeconds(10));
    assertThat(wrong.isAddressExhausted("a")).isFalse();
  }

  @Test
  void aTokenHasTwentyAndThenOneASecond() {
    for (int i = 0; i < 20; i++) {
      assertThat(wrong.wrongOfToken("id")).isFalse();
    }
    assertThat(wrong.wrongOfToken("id")).isTrue();
    assertThat(wrong.wrongOfToken("other")).isFalse();
    pass(Duration.ofSeconds(1));
    assertThat(wrong.wrongOfToken("id")).isFalse();
    assertThat(wrong.wrongOfToken("id")).isTrue();
  }

  private void pass(Duration time) {
    nanos.addAndGet(time.toNanos());
  }
}
