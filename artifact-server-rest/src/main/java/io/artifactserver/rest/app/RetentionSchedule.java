package io.artifactserver.rest.app;

import io.artifactserver.core.retention.Retention;
import io.artifactserver.rest.api.artifact.ArtifactView;
import io.artifactserver.rest.api.audit.AuditWriter;
import io.artifactserver.rest.app.jobs.Jobs;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** Deletes at an interval what the rules of repositories do not keep. */
@Component
public record RetentionSchedule(Retention retention, AuditWriter audit, Jobs jobs) {
  private static final Logger LOG = LoggerFactory.getLogger(RetentionSchedule.class);

  @Scheduled(
      initialDelayString = "${artifact-server.retire.retention-interval:1h}",
      fixedDelayString = "${artifact-server.retire.retention-interval:1h}")
  void run() {
    jobs.run("retention", "Not all old releases could be deleted", LOG, this::deleteOld);
  }

  private void deleteOld() {
    LongAdder deleted = new LongAdder();
    retention.run(artifact -> {
      ArtifactView view = ArtifactView.of(artifact);
      audit.appendOwn("retention", view.links().self(), view, null);
      deleted.increment();
    });
    if (deleted.sum() > 0) {
      LOG.info("Deleted {} artifacts that no rule of their repositories keeps", deleted.sum());
    }
  }
}
