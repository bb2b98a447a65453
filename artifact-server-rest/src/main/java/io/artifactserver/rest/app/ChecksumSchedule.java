package io.artifactserver.rest.app;

import io.artifactserver.core.blob.ChecksumBackfill;
import io.artifactserver.rest.app.jobs.Jobs;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Gives checksums to blobs of a remote backend that have none: at the start, then at an interval.
 *
 * @param backfill empty if the backend needs no checksums
 */
@Component
public record ChecksumSchedule(Optional<ChecksumBackfill> backfill, Jobs jobs) {
  private static final Logger LOG = LoggerFactory.getLogger(ChecksumSchedule.class);

  @Scheduled(initialDelay = 0, fixedDelayString = "${artifact-server.retire.sweep-interval:5m}")
  void run() {
    backfill.ifPresent(present ->
        jobs.run(
            "checksums",
            "Not all blobs could be given checksums",
            LOG,
            () -> report(present.run())));
  }

  private static void report(ChecksumBackfill.Run done) {
    if (done.checked() > 0 || done.damaged() > 0) {
      LOG.info(
          "{} blobs that had no checksums have some now; {} are damaged",
          done.checked(),
          done.damaged());
    }
  }
}
