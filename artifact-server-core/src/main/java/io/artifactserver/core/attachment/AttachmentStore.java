package io.artifactserver.core.attachment;

import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.Hold;
import io.artifactserver.core.digest.Digest;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Keeps attachments, each for the bytes of one artifact at one path. Thread-safe. Every method asks
 * the database and may block; {@link io.artifactserver.core.catalog.CatalogUnavailableException}
 * says that it could not.
 */
public interface AttachmentStore {
  /** Adds an attachment within the bounds, unless the artifact has it already. */
  Addition add(Artifact artifact, NewAttachment attachment, AttachmentBounds bounds);

  /** Returns the attachments of an artifact, the oldest first. */
  List<Attachment> list(Artifact artifact);

  /** Returns the content of an attachment, if the artifact has it. */
  Optional<byte[]> content(Artifact artifact, Digest attachment);

  /**
   * Returns the signatures of artifacts.
   *
   * @param repository of all of them, by name
   */
  List<StoredSignature> signatures(String repository, List<Artifact> artifacts);

  /**
   * Returns the devices that have what a VEX calls affected, by name. A device no longer has it
   * once it was sent all of another artifact of the same file name, which the VEX does not call
   * affected.
   */
  List<AffectedDevice> affected(AffectedQuestion question);

  /** Whether an artifact of the repository has this VEX. */
  boolean hasVex(String repository, Digest vex);

  /** Removes an attachment, unless a hold keeps its artifact. */
  Removal remove(Artifact artifact, Digest attachment);

  /**
   * Removes the attachments of artifacts that were deleted, and cannot be put back.
   *
   * @param before artifacts that were deleted since then keep theirs
   * @return how many there were
   */
  int deleteOrphans(Instant before);

  /** The result of {@link #add}. */
  sealed interface Addition {
    /** A new row. */
    record Added(Attachment attachment) implements Addition {}

    /** The artifact has it; perhaps with another kind, media type or labels. */
    record Present(Attachment attachment) implements Addition {}

    /** The artifact is gone, or has other bytes. */
    record NoArtifact() implements Addition {}

    /** The artifact has as many as it may have. */
    record TooMany() implements Addition {}

    /** All attachments together take as much as they may. */
    record Full() implements Addition {}
  }

  /** The result of {@link #remove}. */
  sealed interface Removal {
    /** The attachment is gone. */
    record Removed() implements Removal {}

    /** There was none. */
    record Absent() implements Removal {}

    /** It stays as long as its artifact does. */
    record Held(Hold hold) implements Removal {}
  }
}
