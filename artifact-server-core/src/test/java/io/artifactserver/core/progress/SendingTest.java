package io.artifactserver.core.progress;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class SendingTest {
  private static final Instant THEN = Instant.parse("2026-01-01T00:00:00Z");

  /** A device that installs each piece before it asks for the next. */
  @Test
  void whatFollowsWithinAMinuteIsOneStretch() {
    Sending all = Sending.NEVER;
    for (int i = 0; i < 10; i++) {
      all = all.then(sending(60 * i, 60 * i, 6000));
    }
    assertThat(all).isEqualTo(new Sending(at(0), at(540), 60_000, 0, Duration.ZERO));
    assertThat(all.rate(at(540))).hasValue(60_000 / 540);
    assertThat(all.averageRate()).hasValue(60_000 / 540);
  }

  @Test
  void aLongerPauseIsNoPartOfTheRate() {
    Sending both = sending(0, 10, 1000).then(sending(3600, 3605, 2000));
    assertThat(both).isEqualTo(new Sending(at(3600), at(3605), 2000, 1000, Duration.ofSeconds(10)));
    assertThat(both.rate(at(3605))).hasValue(400);
    assertThat(both.averageRate()).hasValue(200);
    Sending third = both.then(sending(7200, 7210, 0));
    assertThat(third).isEqualTo(new Sending(at(7200), at(7210), 0, 3000, Duration.ofSeconds(15)));
    assertThat(third.rate(at(7210))).hasValue(0);
    assertThat(third.averageRate()).hasValue(120);
  }

  @Test
  void downloadsSideBySideTakeTheirTimeOnce() {
    Sending all = sending(5, 10, 100).then(sending(0, 10, 100)).then(sending(2, 8, 100));
    assertThat(all).isEqualTo(new Sending(at(0), at(10), 300, 0, Duration.ZERO));
  }

  @Test
  void thereIsNoRateWithoutTimeOrAfterwards() {
    assertThat(Sending.NEVER.rate(at(0))).isEmpty();
    assertThat(Sending.NEVER.averageRate()).isEmpty();
    assertThat(sending(5, 5, 100).rate(at(5))).isEmpty();
    Sending one = sending(0, 10, 100);
    assertThat(one.rate(at(70))).hasValue(10);
    assertThat(one.rate(at(71))).isEmpty();
    assertThat(one.averageRate()).hasValue(10);
  }

  private static Sending sending(int begin, int end, long bytes) {
    return new Sending(at(begin), at(end), bytes, 0, Duration.ZERO);
  }

  private static Instant at(int seconds) {
    return THEN.plusSeconds(seconds);
  }
}
