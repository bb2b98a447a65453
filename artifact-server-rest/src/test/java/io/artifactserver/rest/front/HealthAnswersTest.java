package io.artifactserver.rest.front;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.health.actuate.endpoint.HealthDescriptor;
import tools.jackson.databind.json.JsonMapper;

class HealthAnswersTest {
  private static final String HEALTH = "/actuator/health";

  private final Queue<Runnable> tasks = new ArrayDeque<>();
  private final List<List<String>> found = new ArrayList<>();
  private long now = Long.MAX_VALUE - 10;
  private int status = 200;

  private final HealthAnswers answers =
      new HealthAnswers(
          path -> {
            found.add(List.of(path));
            return new WebEndpointResponse<HealthDescriptor>(status);
          },
          new JsonMapper(),
          tasks::add,
          () -> now);

  @Test
  void whoeverAsksWhileItIsFoundOutWaitsForTheSameAnswer() {
    CompletableFuture<HealthAnswers.Answer> first = answers.ask(HEALTH);
    now += TimeUnit.MINUTES.toNanos(1);
    for (int i = 0; i < 10_000; i++) {
      assertThat(answers.ask(HEALTH)).isSameAs(first);
    }
    assertThat(tasks).hasSize(1);
    tasks.remove().run();
    assertThat(first.join().status()).isEqualTo(200);
    assertThat(new String(first.join().json(), StandardCharsets.UTF_8)).isEqualTo("null");
  }

  @Test
  void anAnswerHoldsForASecond() {
    CompletableFuture<HealthAnswers.Answer> first = answers.ask(HEALTH);
    tasks.remove().run();
    assertThat(first.join().status()).isEqualTo(200);
    status = 503;
    now += TimeUnit.SECONDS.toNanos(1);
    assertThat(answers.ask(HEALTH).join().status()).isEqualTo(200);
    now++;
    CompletableFuture<HealthAnswers.Answer> next = answers.ask(HEALTH);
    tasks.remove().run();
    assertThat(next.join().status()).isEqualTo(503);
  }

  @Test
  void eachPathHasItsOwnAnswer() {
    for (String path : List.of(HEALTH, HEALTH + "/readiness", HEALTH + "/liveness")) {
      assertThat(HealthAnswers.knows(path)).isTrue();
      CompletableFuture<HealthAnswers.Answer> answer = answers.ask(path);
      tasks.remove().run();
      assertThat(answer).isCompleted();
    }
    assertThat(HealthAnswers.knows(HEALTH + "/db")).isFalse();
    assertThat(found).containsExactly(List.of(), List.of("readiness"), List.of("liveness"));
  }

  @Test
  void aFailureIsAnAnswerForASecond() {
    HealthAnswers failing =
        new HealthAnswers(
            path -> {
              throw new IllegalStateException("as told");
            },
            new JsonMapper(),
            Runnable::run,
            () -> now);
    assertThat(failing.ask(HEALTH)).isCompletedExceptionally();
    now += TimeUnit.SECONDS.toNanos(2);
    assertThat(failing.ask(HEALTH)).isCompletedExceptionally();
  }
}
