package io.artifactserver.storage.migrate;

import io.artifactserver.core.migrate.MigrationObserver;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;

/** Prints one line that is written over on a terminal, and a line now and then elsewhere. */
final class ProgressPrinter implements MigrationObserver, AutoCloseable {
  private static final Duration TERMINAL_PERIOD = Duration.ofMillis(250);
  private static final Duration LOG_PERIOD = Duration.ofSeconds(10);
  private static final double MEGABYTE = 1e6;

  private final PrintWriter output;
  private final PrintWriter errors;
  private final boolean isTerminal;
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicLong blobs = new AtomicLong();
  private final long begin = System.nanoTime();
  private final Thread printer;
  private volatile long plannedBlobs;
  private volatile long plannedBytes;

  ProgressPrinter(PrintWriter output, PrintWriter errors, boolean isTerminal) {
    this.output = output;
    this.errors = errors;
    this.isTerminal = isTerminal;
    this.printer = Thread.ofVirtual().name("progress").start(this::print);
  }

  @Override
  public void planned(long blobCount, long byteCount) {
    plannedBlobs = blobCount;
    plannedBytes = byteCount;
    output.println("%d blobs of %.1f MB together".formatted(blobCount, byteCount / MEGABYTE));
  }

  @Override
  public void transferred(long count) {
    bytes.addAndGet(count);
  }

  @Override
  public void done() {
    blobs.incrementAndGet();
  }

  @Override
  public void failed(String reason) {
    if (isTerminal) {
      output.println();
    }
    errors.println("artifact-server migrate: " + reason);
  }

  /** Prints where it ended. */
  @Override
  public void close() {
    printer.interrupt();
    try {
      printer.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (plannedBlobs > 0) {
      output.println((isTerminal ? "\r" : "") + line());
    }
  }

  private void print() {
    try {
      while (true) {
        Thread.sleep(isTerminal ? TERMINAL_PERIOD : LOG_PERIOD);
        if (plannedBlobs > 0) {
          output.print((isTerminal ? "\r" : "") + line() + (isTerminal ? "" : "\n"));
          output.flush();
        }
      }
    } catch (InterruptedException e) {
      // The migration is over.
    }
  }

  private String line() {
    long sent = bytes.get();
    double seconds = Math.max(1e-3, (System.nanoTime() - begin) / 1e9);
    double rate = sent / seconds;
    long left = rate < 1 ? 0 : (long) ((plannedBytes - sent) / rate);
    return String.format(
        Locale.ROOT,
        "%5.1f %%  %d of %d blobs, %.1f of %.1f MB, %.1f MB/s, %d:%02d left  ",
        plannedBytes == 0 ? 100.0 : 100.0 * sent / plannedBytes,
        blobs.get(),
        plannedBlobs,
        sent / MEGABYTE,
        plannedBytes / MEGABYTE,
        rate / MEGABYTE,
        left / 60,
        left % 60);
  }
}
