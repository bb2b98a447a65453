package io.artifactserver.rest.engine;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class NewcomersTest {
  private final AtomicLong time = new AtomicLong(1_000_000);
  private final Newcomers newcomers = new Newcomers(new Turns(time::get), 2);

  @Test
  void theCallerComputesAtMostHalfOfTheTime() throws InterruptedException {
    newcomers.run(0, () -> time.addAndGet(500));
    time.addAndGet(499);
    assertThat(threadOfAStep().getName()).startsWith("newcomer-");
    time.addAndGet(1);
    eventually("nothing waits", () -> threadOfAStep().equals(Thread.currentThread()));
  }

  @Test
  void theCallerComputesNothingWhileSomethingWaits() throws InterruptedException {
    CountDownLatch storm = new CountDownLatch(1);
    newcomers.run(0, () -> time.addAndGet(500));
    newcomers.run(0, () -> await(storm));
    time.addAndGet(1_000_000);
    assertThat(threadOfAStep().getName()).startsWith("newcomer-");
    storm.countDown();
    eventually("nothing waits", () -> threadOfAStep().equals(Thread.currentThread()));
  }

  @Test
  void whoHasSentLeastIsFirstAndAmongEqualsWhoWaitsLongest() throws InterruptedException {
    Newcomers one = new Newcomers(new Turns(time::get), 1);
    CountDownLatch storm = new CountDownLatch(1);
    one.run(0, () -> time.addAndGet(500));
    one.run(0, () -> await(storm));
    List<String> order = new CopyOnWriteArrayList<>();
    one.run(0, () -> order.add("first"));
    one.run(30_000, () -> order.add("long head"));
    one.run(0, () -> order.add("second"));
    one.run(500, () -> order.add("half a head"));
    one.run(0, () -> order.add("third"));
    storm.countDown();
    eventually("all have run", () -> order.size() == 5);
    assertThat(order).containsExactly("first", "second", "third", "half a head", "long head");
  }

  @Test
  void aForgottenStepHoldsNothingAndDoesNotRun() throws InterruptedException {
    Newcomers one = new Newcomers(new Turns(time::get), 1);
    CountDownLatch storm = new CountDownLatch(1);
    List<String> order = new CopyOnWriteArrayList<>();
    assertThat(one.run(0, () -> time.addAndGet(500))).as("has run").isNull();
    assertThat(one.run(0, () -> await(storm))).isNotNull();
    Newcomers.Step step = one.run(0, () -> order.add("closed"));
    one.run(0, () -> order.add("open"));
    Objects.requireNonNull(step).forget();
    storm.countDown();
    eventually("the other has run", () -> order.contains("open"));
    assertThat(order).containsExactly("open");
  }

  private Thread threadOfAStep() throws InterruptedException {
    AtomicReference<Thread> thread = new AtomicReference<>();
    CountDownLatch ended = new CountDownLatch(1);
    newcomers.run(
        0,
        () -> {
          thread.set(Thread.currentThread());
          ended.countDown();
        });
    ended.await();
    return thread.get();
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
