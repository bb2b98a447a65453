package io.artifactserver.rest.command.client;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Shows how far a transfer is until it is closed: a bar that moves, or a line now and then. */
final class Progress implements AutoCloseable {
  private static final long TICK_MILLIS = 250;

  /** Between two lines where there is no terminal. */
  private static final long LINE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Console console;
  private final String name;
  private final long total;
  private final LongSupplier position;
  private final Thread thread;

  /**
   * @param position asked for by another thread
   */
  Progress(Console console, String name, long total, LongSupplier position) {
    this.console = console;
    this.name = name;
    this.total = total;
    this.position = position;
    this.thread = Thread.ofPlatform().daemon().unstarted(this::show);
  }

  Progress start() {
    thread.start();
    return this;
  }

  private void show() {
    Pace pace = new Pace();
    long shown = System.nanoTime();
    try {
      while (true) {
        long now = System.nanoTime();
        long at = position.getAsLong();
        pace.sample(now, at);
        if (console.isTerminal() || now - shown >= LINE_NANOS) {
          console.progress(
              new ProgressLine(name, at, total, pace.bytesPerSecond(), pace.secondsLeft(total)));
          shown = now;
        }
        Thread.sleep(TICK_MILLIS);
      }
    } catch (InterruptedException e) {
      // The transfer is over, and so is this thread.
    }
  }

  @Override
  public void close() {
    thread.interrupt();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    console.clearProgress();
  }
}
