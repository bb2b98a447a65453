package io.artifactserver.rest.hawkbit;

import io.artifactserver.core.thread.DaemonThreads;
import io.artifactserver.rest.log.FailureLog;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import org.slf4j.LoggerFactory;

/**
 * Sends messages one after the other, and each again if it could not be sent. A message that comes
 * while too many wait, or fails too often, is lost and counted. Thread-safe; nothing blocks.
 */
final class Outbox implements AutoCloseable {
  private static final FailureLog FAILURES = new FailureLog(LoggerFactory.getLogger(Outbox.class));

  /** One that is sent again must not hold up all others. */
  private static final int THREADS = 2;

  /** Attempts for each message; the pauses double from a second to half a minute in all. */
  private static final int MAX_ATTEMPTS = 6;

  private final int maxWaiting;
  private final Duration pause;
  private final ThreadPoolExecutor threads = DaemonThreads.pool("hawkbit-report-", THREADS);
  private final Counter lost;

  /** A message on its way. */
  @FunctionalInterface
  interface Message {
    /**
     * Sends it. May block for a while.
     *
     * @throws IOException if it is worth another attempt
     */
    void send() throws IOException, InterruptedException;
  }

  /**
   * @param maxWaiting messages
   * @param pause before the second attempt; doubles with each
   */
  Outbox(int maxWaiting, Duration pause, MeterRegistry registry) {
    this.maxWaiting = maxWaiting;
    this.pause = pause;
    this.lost =
        Counter.builder("artifact_server.hawkbit.reports.lost")
            .description("Reports of downloads that could not be sent")
            .register(registry);
  }

  /** Sends a message as soon as can be. */
  void add(Message message) {
    if (threads.getQueue().size() >= maxWaiting) {
      lost.increment();
      return;
    }
    try {
      threads.execute(() -> send(message));
    } catch (RejectedExecutionException e) {
      lost.increment();
    }
  }

  private void send(Message message) {
    Duration next = pause;
    try {
      for (int attempt = 1; ; attempt++) {
        try {
          message.send();
          return;
        } catch (IOException e) {
          if (attempt == MAX_ATTEMPTS) {
            lost.increment();
            FAILURES.failed("Cannot report a download", e);
            return;
          }
        }
        Thread.sleep(next);
        next = next.multipliedBy(2);
      }
    } catch (InterruptedException e) {
      lost.increment();
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      lost.increment();
      FAILURES.failed("Cannot report a download", e);
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
