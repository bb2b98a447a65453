package io.artifactserver.rest.hawkbit;

import io.artifactserver.core.grant.GrantedArtifact;
import io.artifactserver.core.grant.GrantedFiles;
import io.artifactserver.core.grant.PulledFiles;
import io.artifactserver.core.thread.DaemonThreads;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Finds what hawkBit grants a device, in hawkBit's own folder or fetched from hawkBit. Known
 * answers are found at once and without I/O; for the rest nothing blocks the caller. Thread-safe.
 */
public final class Hawkbit implements AutoCloseable {
  /** As many connections as a server of this size may have. */
  private static final int MAX_WAITING = 32_768;

  /** Longer, and devices have given up. */
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private static final String MD5_SUFFIX = ".MD5SUM";

  private static final int ANSWER_THREADS = 2;

  /** Before hawkBit is asked again to go on with an artifact. */
  private static final Duration PULL_PAUSE = Duration.ofSeconds(1);

  private final Source source;
  private final HawkbitClient client;
  private final QuestionQueue queue;
  private final Grants grants;
  private final ThreadPoolExecutor answers = DaemonThreads.pool("hawkbit-", ANSWER_THREADS);

  private final ConcurrentHashMap<GrantedArtifact, CompletableFuture<Finding>> underWay =
      new ConcurrentHashMap<>();

  private final Counter asked;
  private final Counter unanswered;

  /**
   * @param files where the bytes are, or are kept when they were fetched
   */
  public Hawkbit(
      HawkbitGrantProperties properties,
      GrantedFiles files,
      JsonMapper mapper,
      MeterRegistry registry) {
    this.client = new HawkbitClient(properties.url(), properties.timeout(), mapper, answers);
    this.queue =
        new QuestionQueue(
            properties.parallelQuestions(), properties.questionsPerSecond(), MAX_WAITING, PATIENCE);
    this.source =
        files instanceof PulledFiles own
            ? new Pulls(own, client, queue, properties.timeout(), PULL_PAUSE, registry)
            : new MountedFiles(files, client, queue);
    this.asked =
        Counter.builder("artifact_server.hawkbit.questions")
            .description("Questions to hawkBit of what a device may download")
            .register(registry);
    this.unanswered =
        Counter.builder("artifact_server.hawkbit.questions.failed")
            .description("Of those, the ones that hawkBit did not answer")
            .register(registry);
    this.grants =
        new Grants(
            this::ask,
            properties.grantTime(),
            properties.outageTime(),
            properties.maxGrants(),
            System::nanoTime);
    Gauge.builder("artifact_server.hawkbit.questions.waiting", queue, QuestionQueue::waiting)
        .description("Questions that wait for their turn")
        .register(registry);
    Gauge.builder("artifact_server.hawkbit.grants", grants, Grants::size)
        .description("Answers that are remembered")
        .register(registry);
  }

  private CompletableFuture<Answer> ask(Question question, Asker asker) {
    return queue
        .ask(
            asker,
            () -> {
              asked.increment();
              return client.ask(question);
            })
        .handle((answer, failure) -> {
          Answer found = failure == null ? answer : unavailable(failure);
          if (found instanceof Answer.Unavailable) {
            unanswered.increment();
          }
          return found;
        });
  }

  private static Answer.Unavailable unavailable(Throwable failure) {
    return failure instanceof QuestionQueue.QueueFullException
        ? new Answer.Unavailable(
            "more questions wait for hawkBit than artifact-server.hawkbit.questions-per-second"
                + " allows",
            false)
        : new Answer.Unavailable(String.valueOf(failure));
  }

  /**
   * The known answer to a device's wish. No I/O; empty if somebody has to be asked.
   *
   * @param fileName of an artifact, or of its MD5 file, which is answered by the artifact
   */
  public Optional<Finding> peek(Question question, String fileName) {
    return grants.peek(question.key()).flatMap(answer -> settled(answer, fileName));
  }

  /** The artifact of that name, or else the one whose MD5 file it is: the same wish to hawkBit. */
  private static Optional<GrantedArtifact> wanted(Answer.Granted granted, String fileName) {
    return granted
        .artifact(fileName)
        .or(() ->
            fileName.endsWith(MD5_SUFFIX)
                ? granted.artifact(fileName.substring(0, fileName.length() - MD5_SUFFIX.length()))
                : Optional.empty());
  }

  /** Empty if the file is to be looked at. */
  private Optional<Finding> settled(Answer answer, String fileName) {
    return switch (answer) {
      case Answer.Granted granted -> {
        Optional<GrantedArtifact> artifact = wanted(granted, fileName);
        if (artifact.isEmpty()) {
          yield Optional.of(new Finding.NotFound());
        }
        yield source.known(artifact.get()).map(file -> new Finding.Found(artifact.get(), file));
      }
      case Answer.Unauthorized _ -> Optional.of(new Finding.Unauthorized());
      case Answer.NotFound _ -> Optional.of(new Finding.NotFound());
      case Answer.Unavailable(String reason, _) -> Optional.of(new Finding.Unavailable(reason));
    };
  }

  /**
   * Asks hawkBit, and looks at the file. Does not block, and does not fail.
   *
   * @param sender of the request, as clients share what is asked for; null if nobody knows
   */
  public CompletableFuture<Finding> find(
      Question question, String fileName, @Nullable Object sender) {
    return grants
        .find(question, sender)
        .thenCompose(answer -> look(question, answer, fileName, sender))
        .thenCompose(finding -> {
          if (!(finding instanceof Finding.NotFound)
              || !(grants.peek(question.key()).orElse(null) instanceof Answer.Granted granted)
              || wanted(granted, fileName).isEmpty()) {
            return CompletableFuture.completedFuture(finding);
          }
          // Granted, and the file is gone: hawkBit may have deleted it since.
          grants.forget(question.key());
          return grants
              .find(question, sender)
              .thenCompose(again -> look(question, again, fileName, sender));
        })
        .exceptionally(failure -> new Finding.Unavailable(String.valueOf(failure)));
  }

  private CompletableFuture<Finding> look(
      Question question, Answer answer, String fileName, @Nullable Object sender) {
    Optional<Finding> settled = settled(answer, fileName);
    if (settled.isPresent()) {
      return CompletableFuture.completedFuture(settled.get());
    }
    GrantedArtifact artifact = wanted((Answer.Granted) answer, fileName).orElseThrow();
    CompletableFuture<Finding> mine = new CompletableFuture<>();
    CompletableFuture<Finding> others = underWay.putIfAbsent(artifact, mine);
    if (others != null) {
      return bounded(
          others.thenCompose(finding ->
              // hawkBit told the other device so, and may tell this one otherwise.
              finding instanceof Finding.Unauthorized || finding instanceof Finding.NotFound
                  ? look(question, answer, fileName, sender)
                  : CompletableFuture.completedFuture(finding)),
          artifact);
    }
    // Between the look above and the entry in underWay the file may have been checked.
    Optional<Finding> meanwhile = settled(answer, fileName);
    var _ =
        meanwhile
            .map(CompletableFuture::completedFuture)
            .orElseGet(() -> source.look(question, artifact, grants.asker(question, sender)))
            .exceptionally(failure -> new Finding.Unavailable(String.valueOf(failure)))
            .thenAccept(finding -> {
              underWay.remove(artifact, mine);
              mine.complete(finding);
            });
    return bounded(mine, artifact);
  }

  /** A device that waits for long is told to come again; whatever it waits for goes on. */
  private static CompletableFuture<Finding> bounded(
      CompletableFuture<Finding> finding, GrantedArtifact artifact) {
    return finding.isDone()
        ? finding
        : finding
            .copy()
            .completeOnTimeout(
                new Finding.Unavailable(
                    "\"%s\" of tenant %s is being fetched from hawkBit, or read for the first time: ask again"
                        .formatted(artifact.fileName(), artifact.tenant())),
                PATIENCE.toSeconds(),
                TimeUnit.SECONDS);
  }

  /** Tells hawkBit of downloads. */
  Reports.Recipient feedback(Outbox outbox) {
    return new Feedback(client, queue, outbox);
  }

  @Override
  public void close() {
    queue.close();
    client.close();
    source.close();
    answers.shutdownNow();
  }
}
