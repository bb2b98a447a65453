package io.artifactserver.rest.server.engine;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.limit.Network;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.eclipse.jetty.io.ByteArrayEndPoint;
import org.eclipse.jetty.io.EndPoint;
import org.junit.jupiter.api.Test;

class NewcomersTest {
  private static final EndPoint SOMEBODY = new ByteArrayEndPoint();
  private static final EndPoint OTHER = new ByteArrayEndPoint();

  private final AtomicLong time = new AtomicLong(1_000_000);
  private final Newcomers newcomers = new Newcomers(NewcomersTest::client, new Turns(time::get), 2);

  @Test
  void theCallerComputesAtMostHalfOfTheTime() throws InterruptedException {
    newcomers.run(SOMEBODY, 0, () -> time.addAndGet(500));
    time.addAndGet(499);
    assertThat(threadOfAStep().getName()).startsWith("newcomer-");
    time.addAndGet(1);
    eventually("nothing waits", () -> threadOfAStep().equals(Thread.currentThread()));
  }

  @Test
  void theCallerComputesNothingWhileSomethingWaits() throws InterruptedException {
    CountDownLatch storm = new CountDownLatch(1);
    newcomers.run(SOMEBODY, 0, () -> time.addAndGet(500));
    newcomers.run(SOMEBODY, 0, () -> await(storm));
    time.addAndGet(1_000_000);
    assertThat(threadOfAStep().getName()).startsWith("newcomer-");
    storm.countDown();
    eventually("nothing waits", () -> threadOfAStep().equals(Thread.currentThread()));
  }

  @Test
  void whoHasSentLeastIsFirstAndAmongEqualsWhoWaitsLongest() throws InterruptedException {
    Newcomers one = new Newcomers(NewcomersTest::client, new Turns(time::get), 1);
    CountDownLatch storm = new CountDownLatch(1);
    one.run(SOMEBODY, 0, () -> time.addAndGet(500));
    one.run(SOMEBODY, 0, () -> await(storm));
    List<String> order = new CopyOnWriteArrayList<>();
    one.run(SOMEBODY, 0, () -> order.add("first"));
    one.run(SOMEBODY, 30_000, () -> order.add("long head"));
    one.run(SOMEBODY, 0, () -> order.add("second"));
    one.run(SOMEBODY, 500, () -> order.add("half a head"));
    one.run(SOMEBODY, 0, () -> order.add("third"));
    storm.countDown();
    eventually("all have run", () -> order.size() == 5);
    assertThat(order).containsExactly("first", "second", "third", "half a head", "long head");
  }

  @Test
  void clientsTakeTurnsHoweverManyConnectionsTheyHave() throws InterruptedException {
    Newcomers one = new Newcomers(NewcomersTest::client, new Turns(time::get), 1);
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch storm = new CountDownLatch(1);
    one.run(SOMEBODY, 0, () -> time.addAndGet(500));
    one.run(
        SOMEBODY,
        0,
        () -> {
          begun.countDown();
          await(storm);
        });
    begun.await();
    List<String> order = new CopyOnWriteArrayList<>();
    for (int i = 1; i <= 4; i++) {
      String name = "storm " + i;
      one.run(SOMEBODY, 0, () -> order.add(name));
    }
    one.run(OTHER, 500, () -> order.add("other, rest"));
    one.run(OTHER, 0, () -> order.add("other"));
    one.runLast(OTHER, () -> order.add("other, on and on"));
    storm.countDown();
    eventually("all have run", () -> order.size() == 7);
    assertThat(order)
        .containsExactly(
            "storm 1", "other", "storm 2", "other, rest", "storm 3", "other, on and on", "storm 4");
  }

  @Test
  void aForgottenStepHoldsNothingAndDoesNotRun() throws InterruptedException {
    Newcomers one = new Newcomers(NewcomersTest::client, new Turns(time::get), 1);
    CountDownLatch storm = new CountDownLatch(1);
    List<String> order = new CopyOnWriteArrayList<>();
    assertThat(one.run(SOMEBODY, 0, () -> time.addAndGet(500))).as("has run").isNull();
    assertThat(one.run(SOMEBODY, 0, () -> await(storm))).isNotNull();
    Newcomers.Step step = one.run(SOMEBODY, 0, () -> order.add("closed"));
    one.run(SOMEBODY, 0, () -> order.add("open"));
    Objects.requireNonNull(step).forget();
    storm.countDown();
    eventually("the other has run", () -> order.contains("open"));
    assertThat(order).containsExactly("open");
  }

  private Thread threadOfAStep() throws InterruptedException {
    AtomicReference<Thread> thread = new AtomicReference<>();
    CountDownLatch ended = new CountDownLatch(1);
    newcomers.run(
        SOMEBODY,
        0,
        () -> {
          thread.set(Thread.currentThread());
          ended.countDown();
        });
    ended.await();
    return thread.get();
  }

  private static Optional<Network> client(EndPoint endPoint) {
    return Optional.of(Network.parse(endPoint.equals(OTHER) ? "192.0.2.2/32" : "192.0.2.1/32"));
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
