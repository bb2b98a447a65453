package io.artifactserver.rest.app;

import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.suspect.SuspectCheck;
import io.artifactserver.rest.app.jobs.Jobs;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** Checks suspect blobs again at an interval. */
@Component
public record SuspectSchedule(SuspectCheck check, DamagedBlobs damaged, Jobs jobs) {
  private static final Logger LOG = LoggerFactory.getLogger(SuspectSchedule.class);

  @Scheduled(
      initialDelayString = "${artifact-server.retire.sweep-interval:5m}",
      fixedDelayString = "${artifact-server.retire.sweep-interval:5m}")
  void run() {
    jobs.run("suspects", "Not all suspect blobs could be checked", LOG, this::checkAgain);
  }

  private void checkAgain() throws StorageException {
    try {
      SuspectCheck.Run done = check.run();
      if (done.right() > 0) {
        LOG.info("{} suspect blobs are intact, {} are still suspect", done.right(), done.damaged());
      }
    } finally {
      damaged.forgetRight();
    }
  }
}
