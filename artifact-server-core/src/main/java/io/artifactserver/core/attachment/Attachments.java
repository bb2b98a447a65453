package io.artifactserver.core.attachment;

import io.artifactserver.core.attachment.AttachmentStore.Addition;
import io.artifactserver.core.attachment.AttachmentStore.Removal;
import io.artifactserver.core.attachment.DocumentReader.Document;
import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStores;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.Labels;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.core.release.ChannelBook;
import io.artifactserver.core.release.ReleaseException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/**
 * Use case: documents about artifacts. SBOMs and VEX are read before they are kept, and signatures
 * recognised. Thread-safe.
 *
 * @param channels whose releases keep the signatures that they were released for
 */
public record Attachments(
    AttachmentStore store,
    DocumentReader reader,
    SignatureVerifier verifier,
    BlobStores stores,
    ChannelBook channels,
    AttachmentBounds bounds,
    InstantSource clock) {
  private static final int BUFFER_LENGTH = 64 * 1024;
  private static final byte[] NO_DIGEST = {};

  /**
   * Attaches a document to an artifact. Some formats of signatures are made over a digest that the
   * catalog lacks: for these, all bytes of the artifact are read.
   *
   * @param content whose length is within the bounds; not copied
   * @throws BadDocumentException if it is not what its kind says
   * @throws StorageException if the artifact cannot be read
   */
  public Addition attach(
      Artifact artifact, AttachmentKind kind, String mediaType, Labels labels, byte[] content)
      throws BadDocumentException, StorageException {
    Document document = reader.read(kind, content, artifact.digests().sha256());
    Optional<TrustedKey.Format> signed =
        kind == AttachmentKind.SIGNATURE ? verifier.format(content) : Optional.empty();
    Attachment attachment =
        new Attachment(
            Digest.of(
                DigestAlgorithm.SHA_256,
                DigestAlgorithm.SHA_256.newMessageDigest().digest(content)),
            kind,
            mediaType,
            content.length,
            signed.map(TrustedKey.Format::toString).orElse(document.format()),
            labels,
            clock.instant().truncatedTo(ChronoUnit.MICROS));
    Optional<MessageDigest> digest = signed.flatMap(verifier::digest);
    return store.add(
        artifact,
        new NewAttachment(
            attachment,
            content,
            digest.isEmpty() ? NO_DIGEST : digest(artifact.blob(), digest.get()),
            document.affected()),
        bounds);
  }

  private byte[] digest(BlobRef blob, MessageDigest digest) throws StorageException {
    ByteBuffer buffer = ByteBuffer.allocate(BUFFER_LENGTH);
    try (RangeReader reader = stores.blob(blob).open(ByteRange.whole(blob.length()))) {
      while (reader.read(buffer) >= 0) {
        digest.update(buffer.flip());
        buffer.clear();
      }
    }
    return digest.digest();
  }

  /** As {@link AttachmentStore#list}. */
  public List<Attachment> list(Artifact artifact) {
    return store.list(artifact);
  }

  /** Returns an attachment of an artifact, if it has it. Asks the database. */
  public Optional<Attachment> find(Artifact artifact, Digest sha256) {
    return store.list(artifact).stream().filter(each -> each.sha256().equals(sha256)).findFirst();
  }

  /** As {@link AttachmentStore#content}. */
  public Optional<byte[]> content(Artifact artifact, Digest sha256) {
    return store.content(artifact, sha256);
  }

  /**
   * As {@link AttachmentStore#remove}.
   *
   * @throws ReleaseException.Sealed if it is a signature of what a channel serves, and the
   *     repository wants one
   */
  public Removal remove(Artifact artifact, Attachment attachment) throws ReleaseException.Sealed {
    return attachment.kind() == AttachmentKind.SIGNATURE
        ? channels.unlessSealed(artifact.id(), () -> store.remove(artifact, attachment.sha256()))
        : store.remove(artifact, attachment.sha256());
  }

  /**
   * Removes the attachments of artifacts whose deletion cannot be taken back any more.
   *
   * @return how many there were
   */
  public int deleteOrphans(Duration gracePeriod) {
    Instant before = clock.instant().minus(gracePeriod);
    return store.deleteOrphans(before);
  }
}
