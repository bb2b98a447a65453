package io.artifactserver.rest.log;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class FailureLogTest {
  private final Logger logger = (Logger) LoggerFactory.getLogger(FailureLogTest.class);
  private final ListAppender<ILoggingEvent> appender = new ListAppender<>();
  private final AtomicLong now = new AtomicLong();
  private final FailureLog log = new FailureLog(logger, now::get);

  @BeforeEach
  void listen() {
    appender.start();
    logger.addAppender(appender);
  }

  @AfterEach
  void stopListening() {
    logger.detachAppender(appender);
  }

  @Test
  void ofManyFailuresOneIsToldAndTheOthersAreCounted() {
    for (int i = 0; i < 1000; i++) {
      log.failed("Cannot serve /a/" + i, new IllegalStateException("planted"));
    }
    assertThat(appender.list).hasSize(1);
    assertThat(appender.list.getFirst().getFormattedMessage()).isEqualTo("Cannot serve /a/0");
    assertThat(appender.list.getFirst().getThrowableProxy()).isNotNull();
    now.addAndGet(FailureLog.PAUSE.toNanos());
    log.failed("Cannot serve /b", new IllegalStateException("planted"));
    assertThat(appender.list).hasSize(2);
    assertThat(appender.list.getLast().getFormattedMessage())
        .isEqualTo(
            "Cannot serve /b (and 999 more failures since the last that was logged):"
                + " java.lang.IllegalStateException: planted");
  }

  /** A full disk gave 5,700 lines a minute, most of them the same stack traces. */
  @Test
  void stackTraceOfKindIsLoggedOnceAnHour() {
    List<Boolean> hasStack = new ArrayList<>();
    for (int minute = 0; minute < 93; minute++) {
      String reason = minute == 30 ? "another" : "planted\nin two lines";
      log.failed("Cannot store", new IOException(new IllegalStateException(reason)));
      hasStack.add(appender.list.getLast().getThrowableProxy() != null);
      assertThat(appender.list.getLast().getFormattedMessage().lines()).hasSize(1);
      now.addAndGet(FailureLog.PAUSE.toNanos());
    }
    assertThat(appender.list).hasSize(93);
    assertThat(IntStream.range(0, 93).filter(hasStack::get)).containsExactly(0, 30, 31, 91);
  }
}
