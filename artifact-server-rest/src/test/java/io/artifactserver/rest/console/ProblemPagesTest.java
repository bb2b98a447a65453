package io.artifactserver.rest.console;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.IOException;
import java.lang.reflect.Method;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.web.context.request.async.AsyncRequestNotUsableException;
import org.springframework.web.method.annotation.ExceptionHandlerMethodResolver;

class ProblemPagesTest {
  private final Logger logger = (Logger) LoggerFactory.getLogger(ProblemPages.class);
  private final ListAppender<ILoggingEvent> appender = new ListAppender<>();

  @BeforeEach
  void listen() {
    appender.start();
    logger.addAppender(appender);
  }

  @AfterEach
  void listenNoMore() {
    logger.detachAppender(appender);
  }

  @Test
  void clientsThatLeaveBeforeTheirFirstEventAreNoFailure() throws Exception {
    IOException broken = new IOException("Broken pipe");
    assertThat(handle(new AsyncRequestNotUsableException("ServletOutputStream failed", broken)))
        .isNull();
    assertThat(appender.list).isEmpty();
  }

  @Test
  void othersAreLoggedAndShown() throws Exception {
    assertThat(handle(new IllegalStateException("a defect"))).isNotNull();
    assertThat(appender.list).hasSize(1);
  }

  /** By the method that Spring would call. */
  private static @Nullable Object handle(Exception failure) throws Exception {
    Method handler =
        Objects.requireNonNull(
            new ExceptionHandlerMethodResolver(ProblemPages.class)
                .resolveMethodByThrowable(failure));
    handler.setAccessible(true);
    return handler.invoke(new ProblemPages(new Templates(new ConsoleAssets())), failure);
  }
}
