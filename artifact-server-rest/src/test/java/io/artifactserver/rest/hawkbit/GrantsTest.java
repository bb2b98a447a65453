package io.artifactserver.rest.hawkbit;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.rest.hawkbit.Answer.Granted;
import io.artifactserver.rest.hawkbit.Answer.NotFound;
import io.artifactserver.rest.hawkbit.Answer.Unauthorized;
import io.artifactserver.rest.hawkbit.Answer.Unavailable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** When hawkBit is asked, and what is believed meanwhile. */
class GrantsTest {
  private static final Duration GRANT = Duration.ofSeconds(60);
  private static final Duration OUTAGE = Duration.ofMinutes(10);

  private final AtomicLong now = new AtomicLong(1);
  private final List<CompletableFuture<Answer>> asked = new ArrayList<>();
  private final Grants grants =
      new Grants(
          (question, _) -> {
            CompletableFuture<Answer> answer = new CompletableFuture<>();
            asked.add(answer);
            return answer;
          },
          GRANT,
          OUTAGE,
          1000,
          now::get);

  @Test
  void oneQuestionAtATimeAndOneInTheGrantTime() {
    CompletableFuture<Answer> first = grants.find(question("device"), null);
    CompletableFuture<Answer> second = grants.find(question("device"), null);
    assertThat(asked).hasSize(1);
    asked.getFirst().complete(granted());
    assertThat(first.join()).isEqualTo(granted()).isSameAs(second.join());
    pass(GRANT.minusMillis(1));
    assertThat(grants.peek(question("device").key())).contains(granted());
    assertThat(grants.find(question("device"), null)).isCompleted();
    assertThat(asked).hasSize(1);
    pass(Duration.ofMillis(1));
    assertThat(grants.peek(question("device").key())).isEmpty();
    assertThat(grants.find(question("device"), null)).isNotCompleted();
    assertThat(asked).hasSize(2);
  }

  @Test
  void everyDeviceAndTokenAsksForItself() {
    grant("device");
    assertThat(grants.peek(question("other").key())).isEmpty();
    assertThat(grants.peek(new Question("DEFAULT", "device", "7", "TargetToken another").key()))
        .isEmpty();
    assertThat(grants.peek(new Question("DEFAULT", "device", "8", "TargetToken device").key()))
        .isEmpty();
    assertThat(grants.peek(new Question("OTHER", "device", "7", "TargetToken device").key()))
        .isEmpty();
  }

  /** Nobody chooses names such that two questions look like one. */
  @Test
  void partsOfAQuestionDoNotRunIntoEachOther() {
    assertThat(new Question("A", "BC", "1", "TargetToken t").key())
        .isNotEqualTo(new Question("AB", "C", "1", "TargetToken t").key());
  }

  @Test
  void tokenThatWasRotatedIsRefusedAfterTheGrantTime() {
    grant("device");
    pass(GRANT);
    answer("device", new Unauthorized());
    assertThat(grants.peek(question("device").key())).contains(new Unauthorized());
    pass(Duration.ofSeconds(5));
    // And is not believed in an outage then.
    answer("device", new Unavailable("down"));
    assertThat(grants.peek(question("device").key())).isEmpty();
  }

  /** With any module, such as that of its next update; a gateway token with any device. */
  @Test
  void aDeviceThatWasGrantedSomethingIsKnown() {
    assertThat(grants.asker(question("device"), "address")).isEqualTo(Asker.stranger("address"));
    grant("device");
    pass(Duration.ofDays(1));
    Question next = new Question("DEFAULT", "device", "8", question("device").authorization());
    assertThat(grants.asker(next, "address").isKnown()).isTrue();
    assertThat(grants.asker(next, null).account()).isNotNull();
    assertThat(grants.asker(question("other"), "address").isKnown()).isFalse();
    Question wrong = new Question("DEFAULT", "device", "7", "TargetToken wrong");
    assertThat(grants.asker(wrong, "address").isKnown()).isFalse();
    answer("device", new NotFound());
    assertThat(grants.asker(next, "address").isKnown()).isTrue();
    pass(Duration.ofSeconds(5));
    answer("device", new Unauthorized());
    assertThat(grants.asker(next, "address").isKnown()).isFalse();
  }

  /** A full queue, or an answer that only this question has, says nothing of hawkBit. */
  @Test
  void whatStrangersBringAboutIsNoOutage() {
    for (int i = 0; i < 20; i++) {
      answer("device-" + i, new Unavailable("the queue is full", false));
    }
    int questions = asked.size();
    assertThat(grants.find(question("next"), null)).isNotCompleted();
    assertThat(asked).hasSize(questions + 1);
  }

  @Test
  void refusalCostsNoQuestionForAWhile() {
    answer("device", new NotFound());
    for (int i = 0; i < 100; i++) {
      assertThat(grants.find(question("device"), null).join()).isEqualTo(new NotFound());
    }
    assertThat(asked).hasSize(1);
    pass(Duration.ofSeconds(5));
    assertThat(grants.peek(question("device").key())).isEmpty();
  }

  @Test
  void knownGrantsAreBelievedThroughAnOutageAndNewOnesAreNot() {
    grant("device");
    pass(GRANT);
    assertThat(answer("device", new Unavailable("down"))).isEqualTo(granted());
    assertThat(answer("new", new Unavailable("down"))).isInstanceOf(Unavailable.class);
    // Without another question at once.
    int questions = asked.size();
    assertThat(grants.find(question("device"), null).join()).isEqualTo(granted());
    assertThat(asked).hasSize(questions);
    pass(OUTAGE.minusMillis(1));
    assertThat(answer("device", new Unavailable("down"))).isEqualTo(granted());
    pass(Duration.ofMillis(1));
    assertThat(answer("device", new Unavailable("down"))).isInstanceOf(Unavailable.class);
  }

  @Test
  void hawkbitThatIsDownIsTriedOnceASecond() {
    for (int i = 0; i < 8; i++) {
      answer("device-" + i, new Unavailable("down"));
    }
    answer("trial", new Unavailable("down"));
    int questions = asked.size();
    for (int i = 0; i < 100; i++) {
      assertThat(grants.find(question("next-" + i), null).join()).isInstanceOf(Unavailable.class);
    }
    assertThat(asked).hasSize(questions);
    pass(Duration.ofSeconds(1));
    grant("device");
    // It is back.
    grant("another");
    grant("third");
  }

  @Test
  void devicesThatAreGrantedTheSameShareIt() {
    grant("one");
    grant("two");
    assertThat(grants.peek(question("one").key()).orElseThrow())
        .isSameAs(grants.peek(question("two").key()).orElseThrow());
  }

  @Test
  void secretsAreNotPrinted() {
    assertThat(question("device")).asString().doesNotContain("TargetToken");
  }

  @Test
  void nothingButTokensOfDevicesIsPassedOn() {
    for (String authorization :
        new String[] {"", "Bearer as_1_2", "Basic abc", "TargetToken a\r\nX: y", "TargetToken é"}) {
      assertThat(Question.of("DEFAULT", "device", "7", authorization)).isEmpty();
    }
    assertThat(Question.of("DEFAULT", "device", "7", "GatewayToken abc")).isPresent();
  }

  private void grant(String device) {
    assertThat(answer(device, granted())).isEqualTo(granted());
  }

  private Answer answer(String device, Answer answer) {
    CompletableFuture<Answer> found = grants.find(question(device), null);
    assertThat(found).isNotCompleted();
    asked.getLast().complete(answer);
    return found.join();
  }

  private void pass(Duration time) {
    now.addAndGet(time.toNanos());
  }

  private static Question question(String device) {
    return new Question("DEFAULT", device, "7", "TargetToken " + device);
  }

  private static Granted granted() {
    return new Granted(List.of());
  }
}
