package io.artifactserver.rest.app.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.catalog.CatalogUnavailableException;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Queue;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class AskedJobTest {
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final Queue<RuntimeException> failures = new ArrayDeque<>();
  private long nanoTime = Long.MAX_VALUE - 1000;
  private int runs;

  private final AskedJob job =
      new AskedJob(
          "test",
          "It could not be done",
          LoggerFactory.getLogger(AskedJobTest.class),
          new Jobs(registry, InstantSource.system()),
          () -> {
            runs++;
            RuntimeException failure = failures.poll();
            if (failure != null) {
              throw failure;
            }
          },
          () -> nanoTime);

  @Test
  void runsOnceWhenItWasAskedFor() {
    job.runIfAsked();
    assertThat(runs).isZero();
    job.ask();
    job.ask();
    job.runIfAsked();
    job.runIfAsked();
    assertThat(runs).isEqualTo(1);
    assertThat(isDone()).isTrue();
  }

  /** The database that was away at the start was asked again five minutes later. */
  @Test
  void aFailureIsTriedAgainAfterAPause() {
    failures.add(new CatalogUnavailableException("The database is away"));
    failures.add(new IllegalStateException("A defect"));
    job.ask();
    job.runIfAsked();
    assertThat(runs).isEqualTo(1);
    assertThat(isDone()).isFalse();
    nanoTime += AskedJob.PAUSE.toNanos() - 1;
    job.runIfAsked();
    assertThat(runs).isEqualTo(1);
    nanoTime++;
    job.runIfAsked();
    assertThat(runs).isEqualTo(2);
    assertThat(isDone()).isFalse();
    nanoTime += AskedJob.PAUSE.toNanos();
    job.runIfAsked();
    assertThat(runs).isEqualTo(3);
    assertThat(isDone()).isTrue();
    nanoTime += AskedJob.PAUSE.toNanos();
    job.runIfAsked();
    assertThat(runs).isEqualTo(3);
  }

  @Test
  void whatIsAskedForDuringARunIsDoneAfterIt() {
    AskedJob[] itself = new AskedJob[1];
    itself[0] =
        new AskedJob(
            "test",
            "It could not be done",
            LoggerFactory.getLogger(AskedJobTest.class),
            new Jobs(registry, InstantSource.system()),
            () -> {
              if (runs++ == 0) {
                itself[0].ask();
              }
            });
    itself[0].ask();
    itself[0].runIfAsked();
    itself[0].runIfAsked();
    itself[0].runIfAsked();
    assertThat(runs).isEqualTo(2);
  }

  private boolean isDone() {
    Gauge gauge = registry.find("artifact_server.job.last.success").tag("job", "test").gauge();
    return gauge != null && gauge.value() > 0;
  }
}
