package io.artifactserver.rest.delivery.resolve;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.artifactserver.core.blob.Blob;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.grant.GrantedArtifact;
import io.artifactserver.core.grant.GrantedFile;
import io.artifactserver.rest.access.Credentials;
import io.artifactserver.rest.delivery.address.Target;
import io.artifactserver.rest.hawkbit.Finding;
import io.artifactserver.rest.hawkbit.Hawkbit;
import io.artifactserver.rest.hawkbit.Question;
import io.artifactserver.rest.log.FailureLog;
import io.artifactserver.rest.problem.Problems;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** Resolves what hawkBit grants. Thread-safe; nothing blocks. */
public final class GrantedDownloads {
  private static final FailureLog FAILURES =
      new FailureLog(LoggerFactory.getLogger(GrantedDownloads.class));

  private final Hawkbit hawkbit;

  /** By identity: devices that are granted the same are granted the same object. */
  private final Cache<GrantedArtifact, Served> served =
      Caffeine.newBuilder().executor(Runnable::run).weakKeys().build();

  public GrantedDownloads(Hawkbit hawkbit) {
    this.hawkbit = hawkbit;
  }

  /** Resolves from memory, without I/O; empty if somebody has to be asked. */
  Optional<Resolution> peek(Target.Granted target, Credentials credentials) {
    Optional<Question> question = question(target, credentials);
    if (question.isEmpty()) {
      return Optional.of(new Resolution.Unauthorized());
    }
    return hawkbit
        .peek(question.get(), target.fileName())
        .map(finding -> resolution(target, finding));
  }

  /**
   * Resolves; asks hawkBit. Does not fail.
   *
   * @param sender of the request, as clients share what is asked for; null if nobody knows
   */
  CompletableFuture<Resolution> find(
      Target.Granted target, Credentials credentials, @Nullable Object sender) {
    Optional<Question> question = question(target, credentials);
    if (question.isEmpty()) {
      return CompletableFuture.completedFuture(new Resolution.Unauthorized());
    }
    return hawkbit
        .find(question.get(), target.fileName(), sender)
        .thenApply(finding -> resolution(target, finding));
  }

  private static Optional<Question> question(Target.Granted target, Credentials credentials) {
    return Question.of(
        target.tenant(),
        target.controllerId(),
        target.softwareModuleId(),
        credentials.authorization());
  }

  private static Resolution checksumLine(
      Target.Granted target, GrantedArtifact artifact, GrantedFile file) {
    return artifact
        .digests()
        .get(DigestAlgorithm.MD5)
        .<Resolution>map(md5 ->
            new Resolution.Found(Served.checksumLine(artifact, file, md5, target.fileName())))
        .orElseGet(Resolution.NotFound::new);
  }

  /** The same object for as long as it is the same file. */
  @SuppressWarnings("ReferenceEquality")
  private Served served(GrantedArtifact artifact, GrantedFile file) {
    Served known = served.getIfPresent(artifact);
    if (known != null
        && known.bytes() instanceof Served.Bytes.Foreign(Blob blob)
        && blob == file.blob()) {
      return known;
    }
    Served fresh = Served.of(artifact, file);
    served.put(artifact, fresh);
    return fresh;
  }

  private Resolution resolution(Target.Granted target, Finding finding) {
    return switch (finding) {
      case Finding.Found(GrantedArtifact artifact, GrantedFile file) ->
          artifact.fileName().equals(target.fileName())
              ? new Resolution.Found(served(artifact, file))
              : checksumLine(target, artifact, file);
      case Finding.NotFound _ -> new Resolution.NotFound();
      case Finding.Unauthorized _ -> new Resolution.Unauthorized();
      case Finding.Unavailable(String reason) -> {
        FAILURES.failed("Cannot serve what hawkBit grants", new IllegalStateException(reason));
        yield new Resolution.Failed(Problems.hawkbitUnavailable());
      }
      case Finding.Refused(String reason) -> {
        FAILURES.failed("Cannot serve what hawkBit grants", new IllegalStateException(reason));
        yield new Resolution.Failed(Problems.hawkbitEncrypts());
      }
    };
  }
}
