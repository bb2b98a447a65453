package io.artifactserver.rest.access.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class SessionsTest {
  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
  private final Sessions sessions = new Sessions(nanos::get);

  @Test
  void isFoundByItsSecretAlone() {
    String secret = sessions.begin("as_token", "alice");
    Session session = sessions.find(secret).orElseThrow();
    assertThat(session.authorization()).isEqualTo("Bearer as_token");
    assertThat(session.caller()).isEqualTo("alice");
    assertThat(session.toString()).doesNotContain("as_token").doesNotContain(session.changeToken());
    assertThat(sessions.find("")).isEmpty();
    assertThat(sessions.find(secret + "x")).isEmpty();
    assertThat(sessions.find(session.changeToken())).isEmpty();
  }

  @Test
  void anotherSessionsChangeTokenIsWorthNothing() {
    Session one = sessions.find(sessions.begin("as_token", "alice")).orElseThrow();
    Session other = sessions.find(sessions.begin("as_token", "alice")).orElseThrow();
    assertThat(one.isOwnChange(one.changeToken())).isTrue();
    assertThat(one.isOwnChange(other.changeToken())).isFalse();
    assertThat(one.isOwnChange("")).isFalse();
  }

  @Test
  void endsWhenItsBrowserIsAway() {
    String secret = sessions.begin("as_token", "alice");
    pass(Sessions.MAX_IDLE.minusNanos(1));
    assertThat(sessions.find(secret)).isPresent();
    pass(Sessions.MAX_IDLE);
    assertThat(sessions.find(secret)).isEmpty();
  }

  @Test
  void endsAfterADayHoweverBusyItsBrowserIs() {
    String secret = sessions.begin("as_token", "alice");
    for (Duration left = Sessions.LIFETIME;
        left.isPositive();
        left = left.minus(Duration.ofHours(1))) {
      assertThat(sessions.find(secret)).isPresent();
      pass(Duration.ofHours(1));
    }
    assertThat(sessions.find(secret)).isEmpty();
  }

  @Test
  void endsWhenSomebodySignsOut() {
    String secret = sessions.begin("as_token", "alice");
    String other = sessions.begin("as_token", "alice");
    Session session = sessions.find(secret).orElseThrow();
    assertThat(sessions.goesOn(session)).isTrue();
    sessions.end(secret);
    assertThat(sessions.find(secret)).isEmpty();
    assertThat(sessions.goesOn(session)).isFalse();
    assertThat(sessions.find(other)).isPresent();
  }

  /** A publisher that signs in all day must not sign the admin out. */
  @Test
  void whoSignsInTooOftenEndsOwnSessionsOnly() {
    String admin = sessions.begin("as_admin", "admin");
    List<String> others = new ArrayList<>();
    for (int i = 0; i < 10 * Sessions.MAX_SESSIONS; i++) {
      others.add(sessions.begin("as_token", "bob"));
    }
    assertThat(sessions.find(admin)).isPresent();
    assertThat(others.stream().filter(each -> sessions.find(each).isPresent()))
        .hasSize(Sessions.MAX_SESSIONS_OF_CALLER)
        .contains(others.getLast());
  }

  @Test
  void manyCallersTogetherAreBounded() {
    String admin = sessions.begin("as_admin", "admin");
    int found = 0;
    List<String> all = new ArrayList<>();
    for (int i = 0; i < 20 * Sessions.MAX_SESSIONS_OF_CALLER; i++) {
      all.add(sessions.begin("as_token", "caller " + i % 20));
    }
    for (String each : all) {
      found += sessions.find(each).isPresent() ? 1 : 0;
    }
    assertThat(found).isEqualTo(Sessions.MAX_SESSIONS - 1);
    assertThat(sessions.find(admin)).isPresent();
  }

  @Test
  void longTokensHaveABoundOfTheirOwn() {
    String token = "t".repeat(Sessions.MAX_TOKEN_LENGTH);
    List<String> all = new ArrayList<>();
    for (int i = 0; i < Sessions.MAX_SESSIONS; i++) {
      all.add(sessions.begin(token, "caller " + i % 20));
    }
    long characters =
        all.stream()
            .flatMap(each -> sessions.find(each).stream())
            .mapToLong(session -> session.authorization().length())
            .sum();
    assertThat(characters).isPositive().isLessThanOrEqualTo(Sessions.MAX_LENGTH);
  }

  private void pass(Duration time) {
    nanos.addAndGet(time.toNanos());
  }
}
