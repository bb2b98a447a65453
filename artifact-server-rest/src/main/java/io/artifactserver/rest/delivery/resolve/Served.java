package io.artifactserver.rest.delivery.resolve;

import io.artifactserver.core.blob.Blob;
import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStores;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.Content;
import io.artifactserver.core.catalog.Repository;
import io.artifactserver.core.derive.FramedChunk;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.digest.Digests;
import io.artifactserver.core.grant.GrantedArtifact;
import io.artifactserver.core.grant.GrantedFile;
import io.artifactserver.rest.http.ContentDisposition;
import io.artifactserver.rest.http.DigestFields;
import io.artifactserver.rest.http.EntityTag;
import io.artifactserver.rest.http.HttpDate;
import io.artifactserver.rest.http.Representation;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.PreEncodedHttpField;

/**
 * Something as it is served: all of the answer that is the same for every request, made once.
 * Immutable.
 *
 * @param bytes where they are
 * @param digests of the bytes; of framed ones, of what is stored
 * @param representation for the planner
 * @param mediaType of the representation
 * @param fields of every 200
 * @param partFields of every 206: those that a client needs who resumes. A modem takes 2 KB at a
 *     time
 * @param redirects whether the backend is to serve it, if it can
 * @param isForm whether the bytes are a form's, which may be dropped at any time
 * @param validators of a 304 (RFC 9110, section 15.4.5)
 */
public record Served(
    Bytes bytes,
    Digests digests,
    Representation representation,
    String mediaType,
    HttpFields fields,
    HttpFields partFields,
    boolean redirects,
    boolean isForm,
    HttpFields validators) {
  /**
   * For addresses that contain a digest of their bytes, which no other bytes have (RFC 8246). A
   * year is the longest that caches are asked to keep anything.
   */
  private static final String IMMUTABLE = "max-age=31536000, immutable";

  /** The device may keep it, and asks each time whether it still may have it. */
  private static final String PRIVATE = "private, no-cache";

  private static final HttpField NOSNIFF =
      new PreEncodedHttpField("X-Content-Type-Options", "nosniff");
  private static final HttpField ACCEPT_RANGES =
      new PreEncodedHttpField(HttpHeader.ACCEPT_RANGES, "bytes");
  private static final HttpField ACCEPT_NO_RANGES =
      new PreEncodedHttpField(HttpHeader.ACCEPT_RANGES, "none");

  /** Where bytes are. */
  public sealed interface Bytes {
    /**
     * The blob that has them.
     *
     * @return empty if they are here
     */
    default Optional<Blob> blob(BlobStores stores) throws StorageException {
      return switch (this) {
        case Stored(BlobRef ref) -> Optional.of(stores.blob(ref));
        case Framed(BlobRef ref, FramedChunk _) -> Optional.of(stores.blob(ref));
        case Foreign(Blob blob) -> Optional.of(blob);
        case Inline _ -> Optional.empty();
      };
    }

    /** Whether a range of them is a range of the blob, which a connection may repeat. */
    default boolean isRepeated() {
      return this instanceof Stored || this instanceof Foreign;
    }

    /** In the store. */
    record Stored(BlobRef blob) implements Bytes {}

    /** In the store, with framing between them that is here. */
    record Framed(BlobRef blob, FramedChunk chunk) implements Bytes {}

    /** A file that hawkBit granted. */
    record Foreign(Blob blob) implements Bytes {}

    /** Here: a few, read-only. */
    record Inline(ByteBuffer bytes) implements Bytes {}
  }

  public static Served of(Artifact artifact) {
    return of(
        new Bytes.Stored(artifact.blob()),
        representation(artifact.length(), artifact.digests(), artifact.createdAt()),
        artifact.digests(),
        artifact.mediaType(),
        artifact.id().fileName(),
        cacheControl(artifact.repository()),
        artifact.repository().redirects(),
        false);
  }

  /** Content under its SHA-256. */
  static Served of(Content content) {
    return content(content, content.digests().sha256().hex(), cacheControl(content));
  }

  /**
   * Content under its SHA-1 within a repository. SHA-1 can be forged, so the address may get other
   * bytes one day.
   */
  static Served of(Content content, String repository, String fileName) {
    return content(content, fileName, cacheControl(content, repository));
  }

  private static Served content(Content content, String fileName, String cacheControl) {
    return of(
        new Bytes.Stored(content.blob()),
        representation(content.blob().length(), content.digests(), content.createdAt()),
        content.digests(),
        "application/octet-stream",
        fileName,
        cacheControl,
        // Devices of a repository that does not redirect may not reach the backend.
        content.repositories().stream().allMatch(Repository::redirects),
        false);
  }

  static Served of(GrantedArtifact artifact, GrantedFile file) {
    return of(
        new Bytes.Foreign(file.blob()),
        representation(artifact.length(), artifact.digests(), file.storedAt()),
        artifact.digests(),
        "application/octet-stream",
        artifact.fileName(),
        PRIVATE,
        false,
        false);
  }

  /** hawkBit's MD5 file of an artifact. */
  static Served checksumLine(
      GrantedArtifact artifact, GrantedFile file, Digest digest, String fileName) {
    return checksumLine(digest, artifact.fileName(), file.storedAt(), fileName, PRIVATE);
  }

  /**
   * A line that {@code sha256sum -c} and its like read.
   *
   * @param digest of the artifact
   * @param fileName of the line's own resource
   */
  static Served checksumLine(Artifact artifact, Digest digest, String fileName) {
    return checksumLine(
        digest,
        artifact.id().fileName(),
        artifact.createdAt(),
        fileName,
        cacheControl(artifact.repository()));
  }

  /**
   * The same, of content that is saved as {@code savedAs}.
   *
   * @param digest of the content
   * @param fileName of the line's own resource
   */
  static Served checksumLine(
      Content content, String repository, Digest digest, String savedAs, String fileName) {
    return checksumLine(
        digest, savedAs, content.createdAt(), fileName, cacheControl(content, repository));
  }

  private static Served checksumLine(
      Digest digest, String savedAs, Instant createdAt, String fileName, String cacheControl) {
    byte[] line = (digest.hex() + "  " + savedAs + '\n').getBytes(StandardCharsets.UTF_8);
    Digests digests = digests(line);
    return of(
        new Bytes.Inline(ByteBuffer.wrap(line).asReadOnlyBuffer()),
        representation(line.length, digests, createdAt),
        digests,
        "text/plain; charset=utf-8",
        fileName,
        cacheControl,
        false,
        false);
  }

  /** Computes the digests of bytes that are not in the store. */
  static Digests digests(byte[] bytes) {
    DigestAlgorithm sha256 = DigestAlgorithm.SHA_256;
    return new Digests(Map.of(sha256, Digest.of(sha256, sha256.newMessageDigest().digest(bytes))));
  }

  /**
   * A form of an artifact.
   *
   * @param fileName of its own resource
   */
  static Served form(
      Artifact artifact,
      Bytes bytes,
      long length,
      Digests digests,
      EntityTag tag,
      String mediaType,
      String fileName) {
    return of(
        bytes,
        new Representation(length, tag, artifact.createdAt()),
        digests,
        mediaType,
        fileName,
        cacheControl(artifact.repository()),
        false,
        true);
  }

  /**
   * A chunk of an artifact, whose address is its digest.
   *
   * @param isPacked whether the bytes are a form's, and not the artifact's own
   * @param fileName of its own resource
   */
  static Served chunk(
      Artifact artifact,
      Bytes.Framed bytes,
      boolean isPacked,
      EntityTag tag,
      String mediaType,
      String fileName) {
    return of(
        bytes,
        new Representation(bytes.chunk().length(), tag, artifact.createdAt()),
        artifact.digests(),
        mediaType,
        fileName,
        artifact.repository().isPublic() ? "public, " + IMMUTABLE : PRIVATE,
        false,
        isPacked);
  }

  private static String cacheControl(Content content) {
    boolean isPublic = content.repositories().stream().anyMatch(Repository::isPublic);
    return (isPublic ? "public, " : "private, ") + IMMUTABLE;
  }

  /** By the policy of the repository, which is one of those that have the content. */
  private static String cacheControl(Content content, String repository) {
    return content.repositories().stream()
        .filter(each -> each.name().equals(repository))
        .findFirst()
        .map(Served::cacheControl)
        .orElse(PRIVATE);
  }

  /**
   * For addresses that are names. An artifact may be deleted, so caches keep it for a short time
   * only; if the path may take other bytes afterwards, they ask each time. Artifacts of protected
   * repositories may be kept by the device, and are asked for each time.
   */
  static String cacheControl(Repository repository) {
    if (!repository.isPublic()) {
      return PRIVATE;
    }
    return repository.paths().mutable()
        ? "public, no-cache"
        : "public, max-age=%d, no-transform".formatted(repository.paths().maxAge().toSeconds());
  }

  private static Representation representation(long length, Digests digests, Instant createdAt) {
    return new Representation(length, EntityTag.of(digests.sha256()), createdAt);
  }

  private static Served of(
      Bytes bytes,
      Representation representation,
      Digests digests,
      String mediaType,
      String fileName,
      String cacheControl,
      boolean redirects,
      boolean isForm) {
    boolean isFramed = bytes instanceof Bytes.Framed;
    HttpFields validators =
        HttpFields.build()
            .add(field(isFramed, HttpHeader.ETAG, representation.entityTag().toString()))
            .add(
                field(
                    isFramed,
                    HttpHeader.LAST_MODIFIED,
                    HttpDate.format(representation.lastModified())))
            .add(field(isFramed, HttpHeader.CACHE_CONTROL, cacheControl))
            .asImmutable();
    HttpFields partFields =
        HttpFields.build(validators).add(isFramed ? ACCEPT_NO_RANGES : ACCEPT_RANGES).asImmutable();
    HttpFields.Mutable fields =
        HttpFields.build(partFields)
            .add(NOSNIFF)
            .add(
                field(
                    isFramed,
                    HttpHeader.CONTENT_DISPOSITION,
                    ContentDisposition.attachment(fileName)));
    if (!isFramed) {
      fields.add(new PreEncodedHttpField("Repr-Digest", DigestFields.reprDigest(digests)));
    }
    return new Served(
        bytes,
        digests,
        representation,
        mediaType,
        fields.asImmutable(),
        partFields,
        redirects,
        isForm,
        validators);
  }

  /** Encoded for all answers to come; a chunk is made for one, and that would cost it more. */
  private static HttpField field(boolean isFramed, HttpHeader header, String value) {
    return isFramed ? new HttpField(header, value) : new PreEncodedHttpField(header, value);
  }
}
