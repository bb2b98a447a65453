package io.artifactserver.rest.front;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.rest.access.Sender;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LookupsTest {
  private static final Sender GREEDY = Sender.stranger("greedy");
  private static final Sender MODEST = Sender.stranger("modest");
  private static final Sender NOBODY = Sender.stranger(null);

  private final Lookups lookups = new Lookups("lookup-", 1, 4, 3, Duration.ofMillis(2));
  private final CountDownLatch database = new CountDownLatch(1);

  @AfterEach
  void close() {
    lookups.close();
  }

  @Test
  void aClientHasItsShareAndOthersTheRest() {
    for (int i = 0; i < 3; i++) {
      assertThat(lookups.run(GREEDY, this::ask)).isTrue();
    }
    assertThat(lookups.run(GREEDY, this::ask)).isFalse();
    assertThat(lookups.run(MODEST, this::ask)).isTrue();
    assertThat(lookups.run(NOBODY, this::ask)).isTrue();
    assertThat(lookups.run(MODEST, this::ask)).as("five wait or run").isFalse();
  }

  /** Of 12 places, 6, 3 and 2 are taken by them. */
  @Test
  void aFewClientsDoNotTakeAllPlaces() {
    try (Lookups many = new Lookups("lookup-", 1, 11, 8, Duration.ofMillis(2))) {
      int taken = 0;
      for (String client : List.of("a", "b", "c")) {
        while (many.run(Sender.stranger(client), this::ask)) {
          taken++;
        }
      }
      assertThat(taken).isEqualTo(11);
      assertThat(many.run(MODEST, this::ask)).isTrue();
      database.countDown();
    }
  }

  @Test
  void whoWasAnsweredMayAskAgain() throws InterruptedException {
    CountDownLatch ran = new CountDownLatch(3);
    for (int i = 0; i < 3; i++) {
      assertThat(
              lookups.run(
                  GREEDY,
                  () -> {
                    ran.countDown();
                    return ask();
                  }))
          .isTrue();
    }
    assertThat(lookups.run(GREEDY, this::ask)).isFalse();
    database.countDown();
    ran.await();
    eventually("it may ask again", () -> lookups.run(GREEDY, this::ask));
  }

  @Test
  void missesOfAClientComeInAtASteadyRate() throws InterruptedException {
    database.countDown();
    long begin = System.nanoTime();
    misses(GREEDY, 300);
    assertThat(System.nanoTime() - begin)
        .as("but for the first hundred, each takes 2 ms")
        .isGreaterThan(TimeUnit.MILLISECONDS.toNanos(2 * (300 - 100 - 1)));
  }

  @Test
  void whatIsThereIsNeverWaitedFor() throws InterruptedException {
    database.countDown();
    try (Lookups slow = new Lookups("lookup-", 1, 4, 3, Duration.ofDays(1))) {
      AtomicInteger found = new AtomicInteger();
      for (int i = 1; i <= 1000; i++) {
        int count = i;
        assertThat(slow.run(GREEDY, () -> found.incrementAndGet() > 0)).isTrue();
        eventually("found", () -> found.get() == count);
        eventually("counted", () -> slow.running() == 0);
      }
    }
  }

  /** A client that waits for its misses does not make others wait. */
  @Test
  void aClientWithoutMissesIsNotDelayed() throws InterruptedException {
    database.countDown();
    try (Lookups slow = new Lookups("lookup-", 1, 400, 300, Duration.ofDays(1))) {
      CountDownLatch missed = new CountDownLatch(100);
      for (int i = 0; i < 200; i++) {
        assertThat(
                slow.run(
                    GREEDY,
                    () -> {
                      missed.countDown();
                      return false;
                    }))
            .isTrue();
      }
      missed.await();
      CountDownLatch found = new CountDownLatch(1);
      assertThat(
              slow.run(
                  MODEST,
                  () -> {
                    found.countDown();
                    return true;
                  }))
          .isTrue();
      found.await();
      eventually("the other 99 wait", () -> slow.running() == 99);
    }
  }

  /** From one address, as behind a proxy that nobody named. */
  @Test
  void strangersKeepNoKnownCallerOut() {
    List<String> order = new CopyOnWriteArrayList<>();
    for (int i = 0; i < 3; i++) {
      assertThat(lookups.run(GREEDY, () -> order.add("stranger") && ask())).isTrue();
    }
    assertThat(lookups.run(MODEST, () -> order.add("stranger") && ask())).isTrue();
    assertThat(lookups.run(NOBODY, () -> order.add("stranger") && ask())).isTrue();
    assertThat(lookups.run(MODEST, this::ask)).as("no place for strangers is left").isFalse();
    for (int i = 0; i < 5; i++) {
      assertThat(lookups.run(Sender.known("device-" + i), () -> order.add("known") && ask()))
          .isTrue();
    }
    database.countDown();
    eventually("all have run", () -> order.size() == 10);
    assertThat(order.subList(0, 5)).as("they take turns").contains("known", "stranger");
    assertThat(order.subList(0, 6).stream().filter("known"::equals).count()).isBetween(2L, 3L);
  }

  private void misses(Sender client, int count) throws InterruptedException {
    for (int i = 0; i < count; i++) {
      CountDownLatch ran = new CountDownLatch(1);
      eventually(
          "there is room",
          () ->
              lookups.run(
                  client,
                  () -> {
                    ran.countDown();
                    return false;
                  }));
      ran.await();
    }
  }

  private boolean ask() {
    try {
      database.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return true;
  }
}
