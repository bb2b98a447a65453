package io.artifactserver.rest.command.client;

import java.io.PrintWriter;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Tells the person, or the script, how it goes: progress and troubles on standard error, results on
 * standard output. Thread-safe.
 */
final class Console {
  private static final String CLEAR_LINE = "\r\033[K";
  private static final long REPEATED_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final PrintWriter out;
  private final PrintWriter err;
  private final String name;
  private final int columns;
  private final boolean isJson;
  private final boolean isQuiet;
  private boolean hasProgress;
  private @Nullable String lastTrouble;
  private long lastTroubleAt;

  /**
   * @param name of the command, which stands before what is wrong
   * @param columns of the terminal; 0 if standard error is none
   */
  Console(PrintWriter out, PrintWriter err, String name, int columns, ClientOptions options) {
    this.out = out;
    this.err = err;
    this.name = name;
    this.columns = columns;
    this.isJson = options.isJson;
    this.isQuiet = options.isQuiet;
  }

  boolean isTerminal() {
    return columns > 0;
  }

  /** Shows how far it is, in place of what the last call showed. */
  synchronized void progress(ProgressLine line) {
    if (isQuiet) {
      return;
    }
    if (isTerminal()) {
      err.print(CLEAR_LINE + Printable.of(line.onTerminal(columns)));
      err.flush();
      hasProgress = true;
    } else {
      err.println(Printable.of(line.plain()));
    }
  }

  synchronized void clearProgress() {
    if (hasProgress) {
      err.print(CLEAR_LINE);
      err.flush();
      hasProgress = false;
    }
  }

  /** Says something that need not stop anybody. */
  synchronized void note(String text) {
    if (!isQuiet) {
      clearProgress();
      err.println(Printable.of(name + ": " + text));
    }
  }

  /** Says that something is tried again. Parallel parts often have one trouble: it is said once. */
  synchronized void trouble(String reason, String consequence) {
    long now = System.nanoTime();
    if (!reason.equals(lastTrouble) || now - lastTroubleAt > REPEATED_NANOS) {
      lastTrouble = reason;
      lastTroubleAt = now;
      note(reason + "; " + consequence);
    }
  }

  synchronized void done(Outcome outcome) {
    clearProgress();
    if (isJson) {
      out.println(Printable.json(JsonMapper.shared().writeValueAsString(outcome.json())));
    } else if (!isQuiet) {
      out.println(Printable.of(outcome.text()));
    }
    out.flush();
  }

  synchronized void failed(Outcome.Failure failure) {
    clearProgress();
    err.println(Printable.of(name + ": " + failure.error()));
    if (isJson) {
      failure.print(out);
    }
  }
}
