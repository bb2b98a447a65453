package io.artifactserver.rest.app;

import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.catalog.CatalogUnavailableException;
import io.artifactserver.core.derive.ArtifactDerivation;
import io.artifactserver.core.derive.DerivationRequests;
import io.artifactserver.rest.jobs.Jobs;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** Derives in the background: at the start, soon after uploads, and now and then. Thread-safe. */
@Component
public class DeriveSchedule implements DerivationRequests {
  private static final Logger LOG = LoggerFactory.getLogger(DeriveSchedule.class);

  private final ArtifactDerivation derivation;
  private final Jobs jobs;
  private final AtomicBoolean isAsked = new AtomicBoolean(true);

  public DeriveSchedule(ArtifactDerivation derivation, Jobs jobs) {
    this.derivation = derivation;
    this.jobs = jobs;
  }

  @Override
  public void deriveSoon() {
    isAsked.set(true);
  }

  @Scheduled(initialDelay = 1000, fixedDelay = 1000)
  void deriveIfAsked() {
    if (isAsked.getAndSet(false)) {
      derive();
    }
  }

  /** What another server took in, or encryption moved, is found here. */
  @Scheduled(
      initialDelayString = "${artifact-server.retire.sweep-interval:5m}",
      fixedDelayString = "${artifact-server.retire.sweep-interval:5m}")
  void deriveSometimes() {
    deriveSoon();
  }

  private void derive() {
    try {
      ArtifactDerivation.Run done = derivation.run();
      if (done.blobs() > 0 || done.skipped() > 0) {
        LOG.info(
            "Derived update forms of {} blobs; {} gain nothing, {} are damaged",
            done.blobs(),
            done.skipped(),
            done.damaged());
      }
      jobs.succeeded("derive");
    } catch (StorageException | CatalogUnavailableException e) {
      LOG.warn("Update forms could not be derived; the next run goes on", e);
    } catch (RuntimeException e) {
      LOG.error("Update forms could not be derived; the next run tries again", e);
    }
  }
}
