package io.artifactserver.rest.poison;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.stream.Stream;

/**
 * Faults that must not happen in a server, written to its standard error, or kept for the tests of
 * the same process. Thread-safe.
 */
public final class Faults {
  /** Begins the line of a buffer that somebody uses after its release. */
  public static final String BUFFER = "BUFFER FAULT: ";

  /** Begins the line of an exception that Jetty caught, and perhaps logged nowhere. */
  public static final String CAUGHT = "JETTY CAUGHT: ";

  /** Exceptions that Jetty throws and catches when a client goes away, or sends nonsense. */
  private static final Set<String> OF_CLIENTS =
      Set.of(
          "java.io.UncheckedIOException",
          "java.nio.channels.CancelledKeyException",
          "java.nio.channels.ClosedSelectorException",
          "org.eclipse.jetty.http.BadMessageException",
          "org.eclipse.jetty.http.HttpException$RuntimeException",
          "org.eclipse.jetty.http.HttpParser$IllegalCharacterException");

  /** Where Jetty refuses a request that it cannot read. */
  private static final Set<String> PARSERS =
      Set.of(
          "org.eclipse.jetty.http.HostPortHttpField.<init>",
          "org.eclipse.jetty.http.HttpParser.parseNext",
          "org.eclipse.jetty.http2.hpack.HpackDecoder.decode",
          "org.eclipse.jetty.http2.hpack.internal.MetaDataBuilder.newHttpURI");

  /** Learns that the answer to a failed request was written. */
  private static final String ERROR_WRITTEN =
      "org.eclipse.jetty.server.internal.HttpChannelState$ErrorCallback";

  private static final List<String> KEPT = new ArrayList<>();

  /** Jetty catches and throws the same exception several times. */
  private static final Set<Throwable> SEEN =
      Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

  private static volatile boolean isKept;

  private Faults() {}

  /** Keeps what this process reports from now on for {@link #take}, in the place of writing it. */
  public static void keep() {
    isKept = true;
  }

  /** Called by Jetty's changed classes, at the start of each of their general catch clauses. */
  public static void caught(Throwable thrown, String where) {
    if ((thrown instanceof RuntimeException || thrown instanceof Error)
        && !isOfClients(thrown, where)
        && !isCompletedElsewhere(thrown)
        && !isUnwanted(thrown, where)
        && SEEN.add(thrown)) {
      report(CAUGHT + "in " + where + ": ", thrown);
    }
  }

  private static boolean isOfClients(Throwable thrown, String where) {
    return OF_CLIENTS.contains(thrown.getClass().getName())
        || (PARSERS.contains(where)
            && (thrown instanceof IllegalArgumentException
                || thrown instanceof ArithmeticException));
  }

  /**
   * Jetty marks the answer to a failed request as written before it calls back. In between, the
   * thread that leaves the handler may complete the request, and the callback finds it complete.
   */
  private static boolean isCompletedElsewhere(Throwable thrown) {
    return thrown instanceof IllegalStateException
        && Stream.of(thrown.getStackTrace())
            .limit(3)
            .anyMatch(frame ->
                frame.getClassName().equals(ERROR_WRITTEN)
                    && frame.getMethodName().equals("succeeded"));
  }

  /**
   * A body that nobody wants may come when its request has just been answered. Jetty makes its
   * exception the last piece of the body, and UnwantedBody stops at that.
   */
  private static boolean isUnwanted(Throwable thrown, String where) {
    return thrown instanceof IllegalStateException
        && where.equals("org.eclipse.jetty.server.internal.HttpChannelState$ChannelRequest.read")
        && Stream.of(thrown.getStackTrace())
            .anyMatch(frame -> frame.getClassName().endsWith(".front.UnwantedBody"));
  }

  static void buffer(String what, Throwable stack) {
    report(BUFFER + what + ", ", stack);
  }

  private static void report(String start, Throwable stack) {
    StringWriter text = new StringWriter().append(start);
    stack.printStackTrace(new PrintWriter(text, true));
    if (!isKept) {
      print(text.toString());
      return;
    }
    synchronized (KEPT) {
      KEPT.add(text.toString());
    }
  }

  /** In one write, so that no other line of the log comes in between. */
  @SuppressWarnings("resource") // Standard error stays open.
  private static void print(String text) {
    try {
      new FileOutputStream(FileDescriptor.err).write(text.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the faults of this process since the last call. */
  public static List<String> take() {
    synchronized (KEPT) {
      List<String> taken = List.copyOf(KEPT);
      KEPT.clear();
      return taken;
    }
  }
}
