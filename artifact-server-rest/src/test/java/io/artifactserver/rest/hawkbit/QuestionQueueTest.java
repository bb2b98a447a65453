package io.artifactserver.rest.hawkbit;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How many questions hawkBit is asked, and whose. */
class QuestionQueueTest {
  private final List<CompletableFuture<String>> answers =
      Collections.synchronizedList(new ArrayList<>());
  private final List<String> started = Collections.synchronizedList(new ArrayList<>());
  private QuestionQueue queue = new QuestionQueue(2, 1_000_000, 10, Duration.ofMinutes(1));

  @AfterEach
  void close() {
    queue.close();
  }

  @Test
  void soManyAtATime() {
    var _ = ask("a", "1");
    var _ = ask("a", "2");
    CompletableFuture<String> third = ask("a", "3");
    assertThat(started).containsExactly("1", "2");
    assertThat(queue.waiting()).isEqualTo(1);
    answers.getFirst().complete("done");
    eventually("the third is asked", () -> started.size() == 3);
    answers.get(2).complete("three");
    assertThat(third.join()).isEqualTo("three");
  }

  @Test
  void clientsTakeTurns() {
    var _ = ask("a", "1");
    var _ = ask("a", "2");
    var _ = ask("a", "a3");
    var _ = ask("a", "a4");
    var _ = ask("b", "b1");
    answers.get(0).complete("");
    answers.get(1).complete("");
    eventually("two more are asked", () -> started.size() == 4);
    assertThat(started).containsExactly("1", "2", "a3", "b1");
  }

  @Test
  void oneClientHasHalfOfThePlaces() {
    var _ = ask("a", "1");
    var _ = ask("a", "2");
    for (int i = 0; i < 5; i++) {
      assertThat(ask("a", "waits")).isNotDone();
    }
    assertThat(ask("a", "one too many")).isCompletedExceptionally();
    for (int i = 0; i < 5; i++) {
      assertThat(ask("client" + i, "waits")).isNotDone();
    }
    assertThat(ask("last", "one too many")).isCompletedExceptionally();
  }

  @Test
  void questionThatIsRefusedIsAskedAgain() {
    AtomicInteger times = new AtomicInteger();
    CompletableFuture<String> answer =
        queue.ask(
            Asker.stranger("a"),
            () ->
                times.incrementAndGet() < 3
                    ? CompletableFuture.failedFuture(new HawkbitClient.TooManyRequestsException())
                    : CompletableFuture.completedFuture("third"));
    assertThat(answer.join()).isEqualTo("third");
  }

  @Test
  void questionThatWaitsTooLongFails() {
    queue.close();
    queue = new QuestionQueue(1, 1_000_000, 10, Duration.ZERO);
    assertThat(ask("a", "1")).isCompletedExceptionally();
    assertThat(queue.waiting()).isZero();
  }

  /** As behind a named proxy: nobody knows whose the strangers' questions are. */
  @Test
  void knownDevicesDoNotWaitBehindStrangers() {
    var _ = ask("a", "1");
    var _ = ask("a", "2");
    for (int i = 0; i < 10; i++) {
      assertThat(ask(Asker.stranger(null), "stranger")).isNotDone();
    }
    assertThat(ask(Asker.stranger(null), "one too many")).isCompletedExceptionally();
    for (int i = 0; i < 10; i++) {
      assertThat(ask(Asker.known("device-" + i), "known")).isNotDone();
    }
    for (int i = 0; i < 20; i++) {
      answers.get(i).complete("");
    }
    List<String> order = started.subList(2, 20);
    assertThat(order.subList(0, 7)).containsOnly("known");
    assertThat(order.get(7)).isEqualTo("stranger");
    assertThat(order.subList(8, 11)).containsOnly("known");
    assertThat(order.subList(11, 18)).containsOnly("stranger");
  }

  /** hawkBit may take its time over them. */
  @Test
  void strangersLeaveAQuarterOfThePlacesUnderWay() {
    queue.close();
    queue = new QuestionQueue(4, 1_000_000, 10, Duration.ofMinutes(1));
    for (int i = 0; i < 5; i++) {
      var _ = ask("client" + i, "stranger");
    }
    eventually("three are asked", () -> started.size() == 3);
    var _ = ask(Asker.known("device"), "known");
    eventually("the device's is asked", () -> started.size() == 4);
    assertThat(started.getLast()).isEqualTo("known");
  }

  private CompletableFuture<String> ask(String client, String name) {
    return ask(Asker.stranger(client), name);
  }

  private CompletableFuture<String> ask(Asker asker, String name) {
    return queue.ask(
        asker,
        () -> {
          CompletableFuture<String> answer = new CompletableFuture<>();
          started.add(name);
          answers.add(answer);
          return answer;
        });
  }
}
