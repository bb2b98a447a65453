package io.artifactserver.rest.app.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.artifactserver.core.blob.StorageException.StorageUnavailable;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.LoggerFactory;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

class JobsTest {
  private static final Instant FIRST = Instant.parse("2026-11-26T12:00:00Z");

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private Instant now = FIRST;
  private final Jobs jobs = new Jobs(registry, () -> now);

  @Test
  void aJobThatWasNeverDoneHasAnAgeForAlerts() {
    assertThat(lastSuccess()).isEmpty();
    fail("The disk is away");
    assertThat(lastSuccess()).containsExactly(0.0);
    now = now.plusSeconds(60);
    assertThat(run(() -> {})).isTrue();
    assertThat(lastSuccess()).containsExactly((double) now.getEpochSecond());
    fail("The disk is away");
    assertThat(lastSuccess()).containsExactly((double) now.getEpochSecond());
  }

  @Test
  void healthNamesWhatFailsAndSinceWhen() {
    assertThat(jobs.health().getDetails()).containsExactly(entry("failing", jobs.failing()));
    assertThat(jobs.failing()).isEmpty();
    fail("The disk is away");
    now = now.plusSeconds(60);
    fail("The disk is full");
    assertThat(jobs.failing())
        .containsExactly(
            entry(
                "test",
                new Jobs.Failing(
                    FIRST,
                    "It could not be done: The test store is unavailable: The disk is full")));
    assertThat(jobs.health().getDetails()).containsExactly(entry("failing", jobs.failing()));
    // A balancer is to leave it where it is.
    assertThat(jobs.health().getStatus()).isEqualTo(Status.UP);
    run(() -> {});
    assertThat(jobs.failing()).isEmpty();
  }

  /** As of Zstandard, where the temporary folder lets no code run. */
  @Test
  void nativeCodeThatCannotBeLoadedIsAFailure() {
    assertThat(
            run(() -> {
              throw new UnsatisfiedLinkError("failed to map segment");
            }))
        .isFalse();
    assertThat(jobs.failing())
        .containsExactly(
            entry(
                "test",
                new Jobs.Failing(
                    FIRST,
                    "It could not be done: java.lang.UnsatisfiedLinkError: failed to map segment")));
  }

  /** A derivation on a full disk is tried every ten seconds. */
  @Test
  @ExtendWith(OutputCaptureExtension.class)
  void oneOfManyFailuresIsLogged(CapturedOutput output) {
    for (int i = 0; i < 100; i++) {
      fail("The disk is full");
    }
    assertThat(output.getOut().lines().filter(line -> line.contains("It could not be done")))
        .hasSize(1);
    assertThat(output.getOut().lines().filter(line -> line.startsWith("\tat ")))
        .hasSizeLessThan(100);
  }

  private void fail(String reason) {
    assertThat(
            run(() -> {
              throw new StorageUnavailable("test", reason, null);
            }))
        .isFalse();
  }

  private boolean run(Jobs.Work work) {
    return jobs.run("test", "It could not be done", LoggerFactory.getLogger(JobsTest.class), work);
  }

  private List<Double> lastSuccess() {
    return registry.find("artifact_server.job.last.success").tag("job", "test").gauges().stream()
        .map(Gauge::value)
        .toList();
  }
}
