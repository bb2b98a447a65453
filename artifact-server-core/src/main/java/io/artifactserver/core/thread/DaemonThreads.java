package io.artifactserver.core.thread;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Makes pools of daemon threads that end when there is nothing to do. */
public final class DaemonThreads {
  private static final long IDLE_SECONDS = 30;

  private DaemonThreads() {}

  /**
   * @param name of each thread, before its number
   * @param threads most at a time; further tasks wait, without a bound
   */
  public static ThreadPoolExecutor pool(String name, int threads) {
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            threads,
            threads,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            Thread.ofPlatform().daemon().name(name, 0).factory());
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }
}
