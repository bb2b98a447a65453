package io.artifactserver.core.ingest;

import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.UsedPath;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.limit.OverQuotaException;
import io.artifactserver.core.release.ReleaseException;
import java.io.IOException;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/** An artifact was not taken in, and not because a store failed. Nothing of it is kept. */
public abstract sealed class IngestException extends Exception {
  private static final long serialVersionUID = 1L;

  private IngestException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  /** There is no such repository. */
  public static final class RepositoryNotFound extends IngestException {
    private static final long serialVersionUID = 1L;

    public RepositoryNotFound(String repository) {
      super("There is no repository \"%s\"".formatted(repository), null);
    }
  }

  /** The path has an artifact with other bytes; artifacts are immutable. */
  public static final class PathTaken extends IngestException {
    private static final long serialVersionUID = 1L;

    public PathTaken(Artifact existing, Digest offered) {
      super(
          "%s has other bytes already (%s, not %s)"
              .formatted(existing.id(), existing.digests().sha256(), offered),
          null);
    }
  }

  /** The path lies where channels have their addresses. */
  public static final class PathReserved extends IngestException {
    private static final long serialVersionUID = 1L;

    public PathReserved(ArtifactId id) {
      super("%s begins with '@', as the addresses of channels do".formatted(id), null);
    }
  }

  /** A channel serves the release that the path belongs to, and it takes no more artifacts. */
  public static final class ReleaseSealed extends IngestException {
    private static final long serialVersionUID = 1L;

    public ReleaseSealed(ReleaseException.Sealed cause) {
      super(String.valueOf(cause.getMessage()), cause);
    }
  }

  /** The path had an artifact with other bytes, which was deleted. */
  public static final class PathUsed extends IngestException {
    private static final long serialVersionUID = 1L;

    public PathUsed(UsedPath used, Digest offered) {
      super(
          "%s had other bytes until %s (%s, not %s)"
              .formatted(
                  used.id(),
                  used.deletedAt().truncatedTo(ChronoUnit.SECONDS),
                  used.sha256(),
                  offered),
          null);
    }
  }

  /** The bytes do not have a digest that the sender announced. */
  public static final class DigestMismatch extends IngestException {
    private static final long serialVersionUID = 1L;

    public DigestMismatch(ArtifactId id, Digest expected, Digest actual) {
      super(
          "The bytes received for %s have the digest %s, not the announced %s"
              .formatted(id, actual, expected),
          null);
    }
  }

  /** The body ended before, or went on behind, the length that the sender announced. */
  public static final class LengthMismatch extends IngestException {
    private static final long serialVersionUID = 1L;

    public LengthMismatch(ArtifactId id, long declared, long received) {
      super("Received %3$d of %1$d bytes for %2$s".formatted(declared, id, received), null);
    }
  }

  /** Larger than one artifact may be. */
  public static final class TooLarge extends IngestException {
    private static final long serialVersionUID = 1L;

    public TooLarge(long maxLength) {
      super("An artifact may have at most %d bytes here".formatted(maxLength), null);
    }
  }

  /** All artifacts together may not take more room. */
  public static final class QuotaExceeded extends IngestException {
    private static final long serialVersionUID = 1L;

    public QuotaExceeded(long maxTotal) {
      super("The store's quota of %d bytes would be exceeded".formatted(maxTotal), null);
    }
  }

  /** The repository may not hold more. */
  public static final class RepositoryFull extends IngestException {
    private static final long serialVersionUID = 1L;

    public RepositoryFull(OverQuotaException cause) {
      super(String.valueOf(cause.getMessage()), cause);
    }
  }

  /** The path had these bytes when the upload began, and has none now: nobody stored them. */
  public static final class DeletedMeanwhile extends IngestException {
    private static final long serialVersionUID = 1L;

    public DeletedMeanwhile(ArtifactId id) {
      super(
          "%s was deleted or found damaged while its bytes were being uploaded again".formatted(id),
          null);
    }
  }

  /** The sender went away, or its body could not be read. */
  public static final class SourceFailed extends IngestException {
    private static final long serialVersionUID = 1L;

    public SourceFailed(ArtifactId id, long received, IOException cause) {
      super(
          "The upload of %s broke off %s%s"
              .formatted(
                  id,
                  received == 0 ? "before its first byte" : "after %,d bytes".formatted(received),
                  cause.getMessage() == null ? "" : ": " + cause.getMessage()),
          cause);
    }
  }
}
