package io.artifactserver.rest.api.audit;

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
      changes.count("busy", 450);
    }
    assertThat(changes.isLeft("busy")).isFalse();
    assertThat(changes.isLeft("other")).isTrue();
    assertThat(changes.untilMore()).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(2));
    now = now.plus(Duration.ofSeconds(1));
    assertThat(changes.isLeft("busy")).isTrue();
  }

  /** A path of 4,000 characters adds four times as much to the database. */
  @Test
  void longPathsCountForMore() {
    changes.count("long", 4_500);
    assertThat(changes.isLeft("long")).isFalse();
    changes.count("short", 100);
    changes.count("short", 100);
    assertThat(changes.isLeft("short")).isTrue();
  }

  @Test
  void callersBeyondThoseThatAreCountedShareOneCount() {
    for (int i = 0; i < 10_000; i++) {
      changes.count("caller-" + i, 450);
    }
    for (int i = 0; i < 3; i++) {
      changes.count("late-" + i, 450);
    }
    assertThat(changes.isLeft("later")).isFalse();
    assertThat(changes.isLeft("caller-0")).isTrue();
  }
}
