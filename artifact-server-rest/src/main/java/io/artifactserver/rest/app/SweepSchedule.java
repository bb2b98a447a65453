package io.artifactserver.rest.app;

import io.artifactserver.core.attachment.Attachments;
import io.artifactserver.core.retire.ArtifactRetirement;
import io.artifactserver.core.retire.BlobSweeper;
import io.artifactserver.core.retire.BlobSweeper.Swept;
import io.artifactserver.core.upload.UnfinishedUploads;
import io.artifactserver.rest.app.jobs.Jobs;
import java.time.Instant;
import java.time.InstantSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** Deletes expired blobs and sweeps orphans: at the start, then at an interval. */
@Component
public class SweepSchedule {
  private static final Logger LOG = LoggerFactory.getLogger(SweepSchedule.class);

  private static final String NAME = "sweep";
  private static final String FAILURE = "A sweep could not finish";

  private final ArtifactRetirement retirement;
  private final BlobSweeper sweeper;
  private final UnfinishedUploads uploads;
  private final Attachments attachments;
  private final Jobs jobs;
  private final Instant startedAt;

  public SweepSchedule(
      ArtifactRetirement retirement,
      BlobSweeper sweeper,
      UnfinishedUploads uploads,
      Attachments attachments,
      Jobs jobs,
      InstantSource clock) {
    this.uploads = uploads;
    this.attachments = attachments;
    this.jobs = jobs;
    this.retirement = retirement;
    this.sweeper = sweeper;
    this.startedAt = clock.instant();
  }

  @Scheduled(initialDelay = 0, fixedDelay = Long.MAX_VALUE)
  void sweepAtStart() {
    jobs.run(NAME, FAILURE, LOG, () -> report(sweeper.sweepAtStart(startedAt)));
  }

  @Scheduled(
      initialDelayString = "${artifact-server.retire.sweep-interval:5m}",
      fixedDelayString = "${artifact-server.retire.sweep-interval:5m}")
  void sweep() {
    jobs.run(
        NAME,
        FAILURE,
        LOG,
        () -> {
          int deleted = retirement.deleteExpired();
          if (deleted > 0) {
            LOG.info("Deleted {} blobs whose grace period was over", deleted);
          }
          int ended = uploads.endExpired();
          if (ended > 0) {
            LOG.info("Ended {} unfinished uploads that expired", ended);
          }
          int orphans = attachments.deleteOrphans(retirement.gracePeriod());
          if (orphans > 0) {
            LOG.info("Deleted {} attachments of artifacts that were deleted", orphans);
          }
          report(sweeper.sweep());
        });
  }

  private static void report(Swept swept) {
    if (swept.orphans() > 0 || swept.uploads() > 0 || swept.dataKeys() > 0) {
      LOG.warn(
          "Swept {} orphaned blobs, {} abandoned uploads and {} data keys of no blob",
          swept.orphans(),
          swept.uploads(),
          swept.dataKeys());
    }
  }
}
