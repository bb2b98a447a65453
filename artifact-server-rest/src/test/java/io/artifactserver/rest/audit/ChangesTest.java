package io.artifactserver.rest.audit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class ChangesTest {
  private Instant now = Instant.parse("2026-01-01T23:59:59Z");
  private final Changes changes = new Changes(3, () -> now);

  @Test
  void aCallerHasItsShareOfADay() {
    for (int i = 0; i < 3; i++) {
      assertThat(changes.isLeft("busy")).isTrue();
      changes.count("busy");
    }
    assertThat(changes.isLeft("busy")).isFalse();
    assertThat(changes.isLeft("other")).isTrue();
    now = now.plus(Duration.ofSeconds(1));
    assertThat(changes.isLeft("busy")).isTrue();
  }

  @Test
  void callersBeyondThoseThatAreCountedShareOneCount() {
    for (int i = 0; i < 10_000; i++) {
      changes.count("caller-" + i);
    }
    for (int i = 0; i < 3; i++) {
      changes.count("late-" + i);
    }
    assertThat(changes.isLeft("later")).isFalse();
    assertThat(changes.isLeft("caller-0")).isTrue();
  }
}
