package io.artifactserver.rest.engine;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class NewcomersTest {
  private final AtomicLong time = new AtomicLong(1_000_000);
  private final Newcomers newcomers = new Newcomers(new Turns(time::get));

  @Test
  void theCallerComputesAtMostHalfOfTheTime() throws InterruptedException {
    newcomers.run(() -> time.addAndGet(500));
    time.addAndGet(499);
    assertThat(threadOfAStep().getName()).startsWith("newcomer-");
    time.addAndGet(1);
    eventually("nothing waits", () -> threadOfAStep().equals(Thread.currentThread()));
  }

  @Test
  void theCallerComputesNothingWhileSomethingWaits() throws InterruptedException {
    CountDownLatch storm = new CountDownLatch(1);
    newcomers.run(() -> time.addAndGet(500));
    newcomers.run(() -> await(storm));
    time.addAndGet(1_000_000);
    assertThat(threadOfAStep().getName()).startsWith("newcomer-");
    storm.countDown();
    eventually("nothing waits", () -> threadOfAStep().equals(Thread.currentThread()));
  }

  private Thread threadOfAStep() throws InterruptedException {
    AtomicReference<Thread> thread = new AtomicReference<>();
    CountDownLatch ended = new CountDownLatch(1);
    newcomers.run(() -> {
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
