package io.artifactserver.rest.log;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.event.Level;

/**
 * Logs failures that any request may meet: one a minute, and of the others their number. The stack
 * trace of a kind, which is an exception's class and message, is logged once an hour. One client
 * that asks again and again would fill the disk otherwise. Thread-safe.
 */
public final class FailureLog {
  /** Between two that are logged. */
  static final Duration PAUSE = Duration.ofMinutes(1);

  /** Between two stack traces of a kind. */
  static final Duration STACK_PAUSE = Duration.ofHours(1);

  private final Logger logger;
  private final LongSupplier nanoClock;
  private final AtomicLong last;
  private final AtomicLong untold = new AtomicLong();
  private final AtomicReference<Stack> lastStack = new AtomicReference<>(new Stack("", 0));

  public FailureLog(Logger logger) {
    this(logger, System::nanoTime);
  }

  FailureLog(Logger logger, LongSupplier nanoClock) {
    this.logger = logger;
    this.nanoClock = nanoClock;
    this.last = new AtomicLong(nanoClock.getAsLong() - PAUSE.toNanos());
  }

  /**
   * @param what failed, as {@code Cannot serve /artifacts/a/b}
   */
  public void failed(String what, Throwable cause) {
    log(Level.ERROR, what, cause);
  }

  /** The same for a failure that repairs itself, as when a disk or a database is away. */
  public void warn(String what, Throwable cause) {
    log(Level.WARN, what, cause);
  }

  private void log(Level level, String what, Throwable cause) {
    long now = nanoClock.getAsLong();
    long before = last.get();
    if (now - before < PAUSE.toNanos() || !last.compareAndSet(before, now)) {
      untold.incrementAndGet();
      return;
    }
    long others = untold.getAndSet(0);
    String more =
        others == 0
            ? ""
            : " (and %d more failures since the last that was logged)".formatted(others);
    Stack stack = new Stack(reason(cause), now);
    if (stack.isAgain(lastStack.get())) {
      logger.atLevel(level).log("{}{}: {}", what, more, stack.kind());
    } else {
      lastStack.set(stack);
      logger.atLevel(level).setCause(cause).log("{}{}", what, more);
    }
  }

  /** The innermost cause on one line, for a log without its stack. */
  public static String reason(Throwable failure) {
    Throwable cause = failure;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause.toString().lines().collect(Collectors.joining(" "));
  }

  /** The last stack trace that was logged. Immutable. */
  private record Stack(String kind, long atNanos) {
    boolean isAgain(Stack last) {
      return kind.equals(last.kind) && atNanos - last.atNanos < STACK_PAUSE.toNanos();
    }
  }
}
