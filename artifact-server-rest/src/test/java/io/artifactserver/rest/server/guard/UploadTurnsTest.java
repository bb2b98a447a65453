package io.artifactserver.rest.server.guard;

import static io.artifactserver.core.waiting.Eventually.eventuallyPasses;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class UploadTurnsTest {
  private static final int MAX = 4;

  private final UploadTurns turns = new UploadTurns(MAX);
  private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
  private final ConcurrentLinkedQueue<String> running = new ConcurrentLinkedQueue<>();
  private final Semaphore ends = new Semaphore(0);

  @AfterEach
  void end() {
    ends.release(1_000);
    executor.close();
  }

  private void begin(String caller) {
    executor.execute(() -> {
      UploadTurns.Turn turn = turns.of(caller);
      turn.begin();
      running.add(caller);
      ends.acquireUninterruptibly();
      running.remove(caller);
      turn.end();
    });
  }

  private void awaitRunning(int count, String caller) {
    eventuallyPasses(
        caller + " has its turns",
        () -> assertThat(running.stream().filter(caller::equals)).hasSize(count));
  }

  @Test
  void aloneACallerHasAllTurns() {
    for (int i = 0; i < 6; i++) {
      begin("a");
    }
    awaitRunning(MAX, "a");
  }

  @Test
  void noneHasMoreThanHalfWhileOthersWait() {
    for (int i = 0; i < 10; i++) {
      begin("a");
    }
    awaitRunning(MAX, "a");
    for (int i = 0; i < 10; i++) {
      begin("b");
    }
    ends.release(2);
    awaitRunning(MAX / 2, "b");
    assertThat(running).hasSize(MAX);
    for (int i = 0; i < 5; i++) {
      ends.release();
      eventuallyPasses("all turns are taken", () -> assertThat(running).hasSize(MAX));
      awaitRunning(MAX / 2, "b");
    }
  }

  /** Each adds to a counter while it works, and waits for its client in between. */
  @Test
  void thousandsWaitAndFewWork() throws Exception {
    int uploads = 2_000;
    AtomicInteger working = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    CountDownLatch over = new CountDownLatch(uploads);
    Set<byte[]> buffers = Collections.newSetFromMap(new IdentityHashMap<>());
    for (int i = 0; i < uploads; i++) {
      String caller = "caller " + i % 3;
      executor.execute(() -> {
        UploadTurns.Turn turn = turns.of(caller);
        for (int piece = 0; piece < 10; piece++) {
          turn.begin();
          most.accumulateAndGet(working.incrementAndGet(), Math::max);
          byte[] buffer = turn.buffer();
          synchronized (buffers) {
            buffers.add(buffer);
          }
          Thread.onSpinWait();
          working.decrementAndGet();
          turn.end();
        }
        over.countDown();
      });
    }
    assertThat(over.await(1, TimeUnit.MINUTES)).isTrue();
    assertThat(most.get()).isLessThanOrEqualTo(MAX);
    assertThat(buffers).hasSizeLessThanOrEqualTo(MAX);
  }

  @Test
  void whoIsInterruptedHasItsTurnAllTheSame() throws Exception {
    for (int i = 0; i < MAX; i++) {
      begin("a");
    }
    awaitRunning(MAX, "a");
    CountDownLatch had = new CountDownLatch(1);
    Thread waiting =
        Thread.ofVirtual()
            .start(() -> {
              UploadTurns.Turn turn = turns.of("b");
              turn.begin();
              if (Thread.currentThread().isInterrupted()) {
                had.countDown();
              }
              turn.end();
            });
    waiting.interrupt();
    ends.release();
    assertThat(had.await(1, TimeUnit.MINUTES)).isTrue();
  }
}
