package io.artifactserver.rest.jobs;

import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.catalog.CatalogUnavailableException;
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
  private final Work work;
  private final LongSupplier nanoClock;
  private final AtomicBoolean isAsked = new AtomicBoolean();
  private volatile long pausedSince;

  /**
   * @param name for {@link Jobs}
   * @param failure as {@code Repositories could not be encrypted}
   * @param logger is told of failures
   */
  public AskedJob(String name, String failure, Logger logger, Jobs jobs, Work work) {
    this(name, failure, logger, jobs, work, System::nanoTime);
  }

  AskedJob(
      String name, String failure, Logger logger, Jobs jobs, Work work, LongSupplier nanoClock) {
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
    try {
      work.run();
      jobs.succeeded(name);
      return;
    } catch (StorageException | CatalogUnavailableException e) {
      logger.warn("{}; the next run goes on", failure, e);
    } catch (RuntimeException e) {
      // Such as a key ring that was damaged meanwhile: the one in memory still serves.
      logger.error("{}; the next run tries again", failure, e);
    }
    pausedSince = nanoClock.getAsLong();
    ask();
  }

  /** What is to be done. */
  @FunctionalInterface
  public interface Work {
    /** Does it. */
    void run() throws StorageException;
  }
}
