package io.artifactserver.rest.delivery.body;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Runs reads that wait, for a server mostly: the first few on threads of the platform, all others
 * on virtual ones. A platform thread waits in the kernel and is woken by it; to wake a virtual one,
 * with a timeout, takes three other threads, each time that bytes arrive. Thread-safe.
 */
public final class ReadThreads implements Executor, AutoCloseable {
  /** More would only wait for each other's processor. */
  private static final int PLATFORM_THREADS = 4;

  private static final long IDLE_SECONDS = 60;

  private final ExecutorService virtual =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("read-", 0).factory());
  private final ExecutorService platform =
      new ThreadPoolExecutor(
          0,
          PLATFORM_THREADS,
          IDLE_SECONDS,
          TimeUnit.SECONDS,
          new SynchronousQueue<>(),
          ReadThread::new,
          (read, _) -> virtual.execute(read));

  @Override
  public void execute(Runnable read) {
    platform.execute(read);
  }

  /** Whether the current thread may wait, because it is for that. */
  static boolean isCurrent() {
    Thread thread = Thread.currentThread();
    return thread.isVirtual() || thread instanceof ReadThread;
  }

  /** Interrupts what is running. */
  @Override
  public void close() {
    platform.shutdownNow();
    virtual.shutdownNow();
  }

  private static final class ReadThread extends Thread {
    ReadThread(Runnable work) {
      super(work, "read-platform");
      setDaemon(true);
    }
  }
}
