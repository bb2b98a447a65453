package io.artifactserver.rest.app;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RepeatedLinesTest {
  private final LoggerContext context = new LoggerContext();
  private final Logger jetty = context.getLogger("org.eclipse.jetty.Channel");
  private final Logger other = context.getLogger("org.eclipse.jetty.Other");
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
  private long nanos = -5;

  @BeforeEach
  void start() {
    lines.setContext(context);
    lines.addFilter(new RepeatedLines.OncePerMinute(() -> nanos));
    lines.start();
    Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
    root.setLevel(Level.INFO);
    root.addAppender(lines);
  }

  @Test
  void aKindIsLoggedOnceAMinute() {
    for (int i = 0; i < 1000; i++) {
      jetty.warn("handleException {}", "/artifacts/" + i);
      other.warn("handleException {}", "/artifacts/" + i);
      jetty.warn("Something else {}", i);
    }
    assertThat(logged())
        .containsExactly(
            "handleException /artifacts/0", "handleException /artifacts/0", "Something else 0");
    nanos += Duration.ofMinutes(1).toNanos();
    jetty.warn("handleException {}", "/artifacts/later");
    jetty.warn("handleException {}", "/artifacts/later still");
    assertThat(logged()).endsWith("handleException /artifacts/later").hasSize(4);
  }

  /** Some put their messages together themselves. */
  @Test
  void messagesThatAreAllDifferentAreBoundedToo() {
    for (int i = 0; i < 100_000; i++) {
      jetty.warn("Failed on request number " + i);
    }
    assertThat(logged()).hasSize(RepeatedLines.OncePerMinute.MAX_KINDS + 1);
    nanos += Duration.ofMinutes(1).toNanos();
    // Those of which none was left out are forgotten.
    for (int i = 0; i < 10; i++) {
      jetty.warn("A new kind " + i);
    }
    assertThat(logged()).hasSize(RepeatedLines.OncePerMinute.MAX_KINDS + 1 + 10);
  }

  @Test
  void theServersOwnLinesAreAllLogged() {
    for (int i = 0; i < 10; i++) {
      context.getLogger("io.artifactserver.rest.Any").info("Once {}", "more");
    }
    assertThat(logged()).hasSize(10);
  }

  private List<String> logged() {
    return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }
}
