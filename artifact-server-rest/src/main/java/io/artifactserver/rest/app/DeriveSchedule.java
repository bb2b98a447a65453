package io.artifactserver.rest.app;

import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.derive.ArtifactDerivation;
import io.artifactserver.core.derive.DerivationRequests;
import io.artifactserver.rest.app.jobs.AskedJob;
import io.artifactserver.rest.app.jobs.Jobs;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** Derives in the background: at the start, soon after uploads, and now and then. Thread-safe. */
@Component
public class DeriveSchedule implements DerivationRequests {
  private static final Logger LOG = LoggerFactory.getLogger(DeriveSchedule.class);

  private final AskedJob job;

  public DeriveSchedule(ArtifactDerivation derivation, Jobs jobs) {
    job =
        new AskedJob(
            "derive", "Update forms could not be derived", LOG, jobs, () -> derive(derivation));
    job.ask();
  }

  /** Also asked now and then, for what another server took in, or encryption moved. */
  @Override
  @Scheduled(
      initialDelayString = "${artifact-server.retire.sweep-interval:5m}",
      fixedDelayString = "${artifact-server.retire.sweep-interval:5m}")
  public void deriveSoon() {
    job.ask();
  }

  @Scheduled(initialDelay = 1000, fixedDelay = 1000)
  void deriveIfAsked() {
    job.runIfAsked();
  }

  private static void derive(ArtifactDerivation derivation) throws StorageException {
    ArtifactDerivation.Run done = derivation.run();
    if (done.blobs() > 0 || done.skipped() > 0) {
      LOG.info(
          "Derived update forms of {} blobs; {} gain nothing, {} are damaged",
          done.blobs(),
          done.skipped(),
          done.damaged());
    }
  }
}
