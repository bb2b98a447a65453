package io.artifactserver.rest.app.jobs;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.slf4j.Logger;

/**
 * A background job that runs when somebody asked for it, and again until it succeeds: what was
 * asked for while the database was away is not forgotten. It may be asked for by any thread; one
 * thread at a time runs it.
 */
public final class AskedJob {
  /** Between a failure and the next try. */
  static final Duration PAUSE = Duration.ofSeconds(10);

  private final String name;
  private final String failure;
  private final Logger logger;
  private final Jobs jobs;
  private final Jobs.Work work;
  private final LongSupplier nanoClock;
  private final AtomicBoolean isAsked = new AtomicBoolean();
  private volatile long pausedSince;

  /** The arguments are those of {@link Jobs#run}. */
  public AskedJob(String name, String failure, Logger logger, Jobs jobs, Jobs.Work work) {
    this(name, failure, logger, jobs, work, System::nanoTime);
  }

  AskedJob(
      String name,
      String failure,
      Logger logger,
      Jobs jobs,
      Jobs.Work work,
      LongSupplier nanoClock) {
    this.name = name;
    this.failure = failure;
    this.logger = logger;
    this.jobs = jobs;
    this.work = work;
    this.nanoClock = nanoClock;
    this.pausedSince = nanoClock.getAsLong() - PAUSE.toNanos();
  }

  /** Asks for a run; one that is under way does not count. */
  public void ask() {
    isAsked.set(true);
  }

  /** Runs it if it was asked for, and not too soon after a failure. */
  public void runIfAsked() {
    if (nanoClock.getAsLong() - pausedSince >= PAUSE.toNanos() && isAsked.getAndSet(false)) {
      run();
    }
  }

  /** Runs it, asked or not. */
  public void run() {
    if (!jobs.run(name, failure, logger, work)) {
      pausedSince = nanoClock.getAsLong();
      ask();
    }
  }
}
