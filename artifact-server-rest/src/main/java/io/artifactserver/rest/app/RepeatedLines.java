package io.artifactserver.rest.app;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.filter.Filter;
import ch.qos.logback.core.spi.FilterReply;
import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.function.LongSupplier;
import org.slf4j.ILoggerFactory;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * Keeps clients from filling the log with what libraries say of them: once the server runs, a line
 * of a kind is logged once a minute, and the next one says how many were left out. A kind is a
 * logger and its message without what is filled in. The server's own lines bound themselves.
 */
@Component
public record RepeatedLines(LogProperties properties) {
  private static final org.slf4j.Logger LOG = LoggerFactory.getLogger(RepeatedLines.class);

  @EventListener(ApplicationReadyEvent.class)
  void install() {
    if (properties.everyLine()) {
      return;
    }
    ILoggerFactory factory = LoggerFactory.getILoggerFactory();
    if (factory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME) instanceof Logger root) {
      Iterator<Appender<ILoggingEvent>> appenders = root.iteratorForAppenders();
      while (appenders.hasNext()) {
        Appender<ILoggingEvent> appender = appenders.next();
        // Those that write. A context that starts again in the same process finds it there.
        if (appender instanceof OutputStreamAppender
            && appender.getCopyOfAttachedFiltersList().stream()
                .noneMatch(OncePerMinute.class::isInstance)) {
          appender.addFilter(new OncePerMinute(System::nanoTime));
        }
      }
    }
  }

  /** The filter of one appender. Thread-safe. */
  static final class OncePerMinute extends Filter<ILoggingEvent> {
    private static final String OWN = "io.artifactserver.";
    private static final Duration MINUTE = Duration.ofMinutes(1);

    /** Messages that others put together themselves are a kind each; the rest are one. */
    static final int MAX_KINDS = 500;

    private final LongSupplier nanoTime;
    private final Map<Kind, Counted> counted = new HashMap<>();

    /**
     * @param nanoTime the time, in nanoseconds since some moment
     */
    OncePerMinute(LongSupplier nanoTime) {
      this.nanoTime = nanoTime;
    }

    @Override
    public FilterReply decide(ILoggingEvent event) {
      if (event.getLoggerName().startsWith(OWN)) {
        return FilterReply.NEUTRAL;
      }
      long untold = untold(new Kind(event.getLoggerName(), String.valueOf(event.getMessage())));
      if (untold > 0) {
        LOG.info("{} more lines like the next one were left out", untold);
      }
      return untold < 0 ? FilterReply.DENY : FilterReply.NEUTRAL;
    }

    /** Returns how many were left out before this one; negative if this one is, too. */
    private synchronized long untold(Kind kind) {
      long now = nanoTime.getAsLong();
      if (counted.size() >= MAX_KINDS && !counted.containsKey(kind)) {
        counted.values().removeIf(each -> each.untold == 0 && isOver(each, now));
      }
      Kind known = counted.size() < MAX_KINDS || counted.containsKey(kind) ? kind : Kind.OTHER;
      Counted before = counted.get(known);
      if (before != null && !isOver(before, now)) {
        before.untold++;
        return -1;
      }
      counted.put(known, new Counted(now));
      return before == null ? 0 : before.untold;
    }

    private static boolean isOver(Counted each, long now) {
      return now - each.begin >= MINUTE.toNanos();
    }

    private record Kind(String logger, String message) {
      static final Kind OTHER = new Kind("", "");
    }

    private static final class Counted {
      private final long begin;
      private long untold;

      private Counted(long begin) {
        this.begin = begin;
      }
    }
  }
}
