package io.artifactserver.rest.command.client;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Shows how far something is until it is closed: a line that changes on a terminal, elsewhere a
 * line now and then.
 */
final class Progress implements AutoCloseable {
  private static final long TICK_MILLIS = 250;

  /** Between two lines where there is no terminal. */
  private static final long LINE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Console console;
  private final Supplier<ProgressLine> line;
  private final Thread thread;

  private Progress(Console console, Supplier<ProgressLine> line) {
    this.console = console;
    this.line = line;
    this.thread = Thread.ofPlatform().daemon().unstarted(this::show);
  }

  /**
   * Shows how far a transfer is.
   *
   * @param position asked for by another thread
   */
  static Progress ofTransfer(Console console, String name, long total, LongSupplier position) {
    Pace pace = new Pace();
    return new Progress(
            console,
            () -> {
              long at = position.getAsLong();
              pace.sample(System.nanoTime(), at);
              return new TransferLine(
                  name, at, total, pace.bytesPerSecond(), pace.secondsLeft(total));
            })
        .start();
  }

  /** Shows that the server is at work, for something that tells no position. */
  static Progress ofWait(Console console, String name, String what) {
    long begin = System.nanoTime();
    return new Progress(
            console,
            () ->
                new WaitLine(name, what, TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin)))
        .start();
  }

  private Progress start() {
    thread.start();
    return this;
  }

  private void show() {
    long shown = System.nanoTime();
    try {
      while (true) {
        ProgressLine now = line.get();
        if (console.isTerminal() || System.nanoTime() - shown >= LINE_NANOS) {
          console.progress(now);
          shown = System.nanoTime();
        }
        Thread.sleep(TICK_MILLIS);
      }
    } catch (InterruptedException e) {
      // It is over, and so is this thread.
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
