package io.artifactserver.rest.command.client;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * Runs tasks beside each other: all succeed, or the first failure ends all. On virtual threads: an
 * interrupt ends their waits for sockets.
 */
final class Workers {
  private static final long END_SECONDS = 10;

  private Workers() {}

  /** Returns when no task runs any more. */
  static void run(List<? extends Callable<?>> tasks) throws ClientException, InterruptedException {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      ExecutorCompletionService<Object> ended = new ExecutorCompletionService<>(threads);
      for (Callable<?> task : tasks) {
        var _ = ended.submit(task::call);
      }
      try {
        for (int i = 0; i < tasks.size(); i++) {
          ended.take().get();
        }
      } catch (ExecutionException e) {
        switch (e.getCause()) {
          case ClientException failure -> throw failure;
          case InterruptedException interrupted -> throw interrupted;
          case null, default -> throw new IllegalStateException(e.getCause());
        }
      } finally {
        threads.shutdownNow();
        var _ = threads.awaitTermination(END_SECONDS, TimeUnit.SECONDS);
      }
    }
  }
}
