package io.artifactserver.rest.delivery.body;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ReadThreadsTest {
  private static final int READS = 100;

  @Test
  void allRunAtOnceAndFewOfThemOnThreadsOfThePlatform() throws Exception {
    Queue<Thread> threads = new ConcurrentLinkedQueue<>();
    Queue<Boolean> mayWait = new ConcurrentLinkedQueue<>();
    CountDownLatch running = new CountDownLatch(READS);
    CountDownLatch end = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(READS);
    try (ReadThreads reads = new ReadThreads()) {
      for (int i = 0; i < READS; i++) {
        reads.execute(() -> {
          threads.add(Thread.currentThread());
          mayWait.add(ReadThreads.isCurrent());
          running.countDown();
          try {
            end.await();
          } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
          }
          ended.countDown();
        });
      }
      assertThat(running.await(1, TimeUnit.MINUTES)).isTrue();
      end.countDown();
      assertThat(ended.await(1, TimeUnit.MINUTES)).isTrue();
    }
    assertThat(threads.stream().filter(thread -> !thread.isVirtual()))
        .hasSizeBetween(1, 8)
        .allSatisfy(thread -> assertThat(thread.isDaemon()).isTrue());
    assertThat(mayWait).containsOnly(true);
    assertThat(ReadThreads.isCurrent()).isFalse();
  }

  @Test
  void closingInterruptsBothKinds() throws Exception {
    CountDownLatch running = new CountDownLatch(READS);
    CountDownLatch never = new CountDownLatch(1);
    CountDownLatch interrupted = new CountDownLatch(READS);
    try (ReadThreads reads = new ReadThreads()) {
      for (int i = 0; i < READS; i++) {
        reads.execute(() -> {
          running.countDown();
          try {
            never.await();
          } catch (InterruptedException _) {
            interrupted.countDown();
            Thread.currentThread().interrupt();
          }
        });
      }
      assertThat(running.await(1, TimeUnit.MINUTES)).isTrue();
    }
    assertThat(interrupted.await(1, TimeUnit.MINUTES)).isTrue();
  }
}
