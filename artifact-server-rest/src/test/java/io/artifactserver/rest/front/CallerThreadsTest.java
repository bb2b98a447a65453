package io.artifactserver.rest.front;

import static io.artifactserver.core.waiting.Eventually.eventuallyPasses;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CallerThreadsTest {
  private final CallerThreads threads = new CallerThreads("test-", 4, 8, 2);
  private final CountDownLatch end = new CountDownLatch(1);
  private final List<String> begun = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() {
    end.countDown();
    threads.close();
  }

  private boolean run(CallerThreads where, String caller) {
    return where.run(
        caller,
        () -> {
          begun.add(caller);
          try {
            end.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
  }

  @Test
  void aCallerHasItsShareOfThreadsAndPlaces() {
    List<Boolean> accepted = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      accepted.add(run(threads, "greedy"));
    }
    // Two run and four wait.
    assertThat(accepted).containsExactly(true, true, true, true, true, true, false, false);
    assertThat(run(threads, "other")).isTrue();
    eventuallyPasses(
        "they run", () -> assertThat(begun).containsExactlyInAnyOrder("greedy", "greedy", "other"));
  }

  @Test
  void allCallersTogetherAreBounded() {
    int accepted = 0;
    for (int i = 0; i < 20; i++) {
      accepted += run(threads, "caller " + i) ? 1 : 0;
    }
    assertThat(accepted).isEqualTo(4 + 8);
    end.countDown();
    eventuallyPasses("all have run", () -> assertThat(begun).hasSize(4 + 8));
    eventuallyPasses("there is room", () -> assertThat(run(threads, "late")).isTrue());
  }

  @Test
  void callersThatWaitTakeTurns() {
    try (CallerThreads one = new CallerThreads("one-", 1, 8, 2)) {
      for (String caller : List.of("a", "a", "a", "b", "c", "b")) {
        assertThat(run(one, caller)).isTrue();
      }
      end.countDown();
      eventuallyPasses(
          "all have run", () -> assertThat(begun).containsExactly("a", "b", "c", "a", "b", "a"));
    }
  }

  @Test
  void nothingRunsAfterTheEnd() {
    threads.close();
    assertThat(run(threads, "late")).isFalse();
  }
}
