package io.artifactserver.rest.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

class LogMetricsTest {
  private static final Logger LOG = LoggerFactory.getLogger(LogMetricsTest.class);

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

  @Test
  void countsWhatIsWrittenByLevelUntilItIsClosed() {
    LogMetrics metrics = new LogMetrics(registry);
    double errors = count("error");
    double warnings = count("warn");
    LOG.error("counted");
    LOG.warn("counted");
    LOG.warn("counted");
    assertThat(LOG.isTraceEnabled()).as("trace is off").isFalse();
    LOG.trace("not written");
    metrics.close();
    LOG.error("too late");
    assertThat(count("error") - errors).isEqualTo(1);
    assertThat(count("warn") - warnings).isEqualTo(2);
    assertThat(count("trace")).isZero();
  }

  private double count(String level) {
    return registry.get("logback.events").tag("level", level).counter().count();
  }
}
