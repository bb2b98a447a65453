package io.artifactserver.rest.console;

import io.swagger.v3.oas.annotations.Hidden;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.scheduling.config.IntervalTask;
import org.springframework.scheduling.config.ScheduledTask;
import org.springframework.scheduling.config.ScheduledTaskHolder;
import org.springframework.scheduling.config.TaskExecutionOutcome;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Shows what the server does in the background, when, and how it went. Thread-safe. */
@Controller
@Hidden
public record JobPages(
    Templates templates,
    OverviewPage overview,
    ObjectProvider<ScheduledTaskHolder> holders,
    JsonMapper mapper) {
  /** In the order in which the page has them. */
  static final List<Work> WORKS =
      List.of(
          new Work(
              "RetentionSchedule.run", "retention", "Deletes releases that no active rule keeps"),
          new Work(
              "SweepSchedule.sweep",
              "sweep",
              "Removes bytes that no artifact has any more, and what broken uploads left"),
          new Work(
              "DeriveSchedule.deriveSoon",
              "derive",
              "Makes update forms; those of an upload at once"),
          new Work("SuspectSchedule.run", "suspects", "Reads damaged blobs again"),
          new Work("ChecksumSchedule.run", "checksums", "Gives older blobs their checksums"),
          new Work(
              "EncryptionSchedule.encryptSoon",
              "encrypt",
              "Encrypts what a repository had before it was encrypted"),
          new Work(
              "EncryptionSchedule.rewrap", "rewrap", "Wraps data keys again after a new ring key"),
          new Work(
              "CertificateSchedule.reload", "certificates", "Takes new certificates of TLS over"),
          new Work("StageSchedule.sweep", "", "Stops releases that too many devices fail with"),
          new Work("WebhookSchedule.run", "", "Posts to webhooks what happened"),
          new Work("WebhookSchedule.trim", "", "Drops messages that no receiver took for too long"),
          new Work("ProgressSchedule.flush", "", "Writes down how far devices are"),
          new Work("ProgressSchedule.forget", "", "Forgets devices that were not seen for long"),
          new Work("ProgressSchedule.count", "", "Counts the devices that are remembered"),
          new Work("AuditWriter.appendCounted", "", "Writes counted refusals to the audit"),
          new Work("AuditWriter.removeOldest", "", "Removes the oldest entries of the audit"),
          new Work(
              "CachedAccessTokenStore.refresh", "", "Looks for tokens that were added elsewhere"),
          new Work("TokenUses.flush", "", "Writes down when tokens were last used"),
          new Work("Links.refresh", "", "Looks for new keys of signed links"),
          new Work("IdleHeap.look", "", "Gives memory back while nothing happens"));

  /** Methods that look once a second whether a job was asked for, or run at the start alone. */
  static final List<String> NO_WORKS =
      List.of(
          "DeriveSchedule.deriveIfAsked",
          "EncryptionSchedule.encryptIfAsked",
          "SweepSchedule.sweepAtStart");

  /** All jobs that this server has. */
  @GetMapping("/console/jobs")
  ResponseEntity<byte[]> show() {
    Map<String, ScheduledTask> tasks =
        holders.stream()
            .flatMap(holder -> holder.getScheduledTasks().stream())
            .collect(
                Collectors.toMap(task -> name(task.toString()), Function.identity(), (a, _) -> a));
    Map<String, OverviewPage.Job> done =
        overview.jobs().stream()
            .collect(Collectors.toMap(OverviewPage.Job::name, Function.identity()));
    JsonNode failing = mapper.valueToTree(overview.details("jobs")).path("failing");
    List<Job> jobs = new ArrayList<>();
    for (Work work : WORKS) {
      Optional.ofNullable(tasks.get(work.method))
          .map(task -> Job.of(work, task, done.get(work.metric), failing.path(work.metric)))
          .ifPresent(jobs::add);
    }
    return templates.page(HttpStatus.OK, "jobs", "Jobs", Map.of("jobs", jobs));
  }

  /** Leaves the class and the method of {@code a.b.Class.method}. */
  private static String name(String method) {
    return method.substring(method.lastIndexOf('.', method.lastIndexOf('.') - 1) + 1);
  }

  /**
   * The purpose of a scheduled method.
   *
   * @param method its class and name
   * @param metric the name of the job that reports how it went; empty if none does
   * @param text what it is good for
   */
  record Work(String method, String metric, String text) {}

  /**
   * A job as the page shows it.
   *
   * @param name in metrics; empty if it has none
   * @param pause between an end and the next begin; empty if there is none
   * @param last when it ran last; null if it did not yet
   * @param done when it last succeeded; null if it did not yet, or does not say so
   * @param failure of the last run, in a sentence; empty if it did not fail
   * @param next when it runs again; null while it runs
   */
  public record Job(
      String name,
      String text,
      String pause,
      @Nullable Instant last,
      @Nullable Instant done,
      String failure,
      @Nullable Instant next) {
    private static Job of(
        Work work, ScheduledTask task, OverviewPage.@Nullable Job done, JsonNode failing) {
      TaskExecutionOutcome outcome = task.getTask().getLastExecutionOutcome();
      Throwable thrown = outcome.throwable();
      Instant succeeded = done != null && done.wasDone() ? done.last() : null;
      return new Job(
          work.metric,
          work.text,
          task.getTask() instanceof IntervalTask interval ? pause(interval) : "",
          later(outcome.executionTime(), succeeded),
          succeeded,
          failing.isMissingNode()
              ? thrown == null ? "" : Objects.toString(thrown.getMessage(), thrown.toString())
              : "Since %s: %s"
                  .formatted(
                      failing.path("since").asString(""), failing.path("reason").asString("")),
          task.nextExecution());
    }

    /** A job that somebody asks for runs between its times, too. */
    private static @Nullable Instant later(@Nullable Instant one, @Nullable Instant other) {
      return one == null || (other != null && other.isAfter(one)) ? other : one;
    }

    private static String pause(IntervalTask task) {
      Duration pause = task.getIntervalDuration();
      // Milliseconds are noise here.
      return Format.span(pause.toSeconds() > 0 ? Duration.ofSeconds(pause.toSeconds()) : pause);
    }
  }
}
