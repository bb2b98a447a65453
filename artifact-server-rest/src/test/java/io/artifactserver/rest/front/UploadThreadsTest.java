package io.artifactserver.rest.front;

import static io.artifactserver.core.waiting.Eventually.eventuallyPasses;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UploadThreadsTest {
  private static final int PLACES = 16;

  private final UploadThreads threads = new UploadThreads("test-", PLACES);
  private final CountDownLatch end = new CountDownLatch(1);
  private final Semaphore endOfOne = new Semaphore(0);

  @AfterEach
  void close() {
    end.countDown();
    threads.close();
  }

  private static boolean run(UploadThreads where, String caller, Wait wait) {
    return where.run(
        caller,
        () -> {
          try {
            wait.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
  }

  /** Begins uploads of a caller until one is refused. */
  private int fill(UploadThreads where, String caller) {
    int begun = 0;
    while (run(where, caller, end::await)) {
      begun++;
    }
    return begun;
  }

  /** Many callers have to work together to leave nothing to others. */
  @ParameterizedTest
  @CsvSource({
    "16, '8 4 2 1 1 0'",
    "5, '3 1 1 0'",
    "4, '2 1 1 0'",
    "3, '2 1 0'",
    "2, '1 1 0'",
    "1, '1 0'"
  })
  void aCallerGetsHalfOfWhatOthersLeave(int places, String each) {
    try (UploadThreads all = new UploadThreads("test-", places)) {
      List<Integer> expected = Arrays.stream(each.split(" ")).map(Integer::valueOf).toList();
      List<Integer> begun =
          Stream.iterate(0, i -> i + 1)
              .limit(expected.size())
              .map(caller -> fill(all, "caller " + caller))
              .toList();
      assertThat(begun).isEqualTo(expected);
      assertThat(begun.stream().mapToInt(Integer::intValue).sum()).isEqualTo(places);
    }
  }

  @Test
  void placesThatAreGivenBackGoToTheCallerWithFewer() {
    for (int i = 0; i < PLACES / 2; i++) {
      assertThat(run(threads, "first", endOfOne::acquire)).isTrue();
    }
    assertThat(fill(threads, "second")).isEqualTo(4);
    endOfOne.release(2);
    // The second caller has fewer than are free, the first has not.
    eventuallyPasses(
        "the second gets a further one", () -> assertThat(fill(threads, "second")).isPositive());
    assertThat(run(threads, "first", end::await)).isFalse();
    endOfOne.release(PLACES);
    eventuallyPasses(
        "the second gets further ones", () -> assertThat(fill(threads, "second")).isPositive());
  }

  @Test
  void anUploadThatFailsGivesItsPlaceBack() {
    try (UploadThreads one = new UploadThreads("test-", 1)) {
      assertThat(
              one.run(
                  "caller",
                  () -> {
                    throw new IllegalStateException("as a test has it");
                  }))
          .isTrue();
      eventuallyPasses("there is room", () -> assertThat(run(one, "caller", end::await)).isTrue());
    }
  }

  @Test
  void nothingRunsAfterTheEnd() {
    threads.close();
    assertThat(run(threads, "late", end::await)).isFalse();
  }

  private interface Wait {
    void await() throws InterruptedException;
  }
}
