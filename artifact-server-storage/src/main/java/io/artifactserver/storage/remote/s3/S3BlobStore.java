package io.artifactserver.storage.remote.s3;

import io.artifactserver.core.blob.Blob;
import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.UploadCheckpoint;
import io.artifactserver.storage.backend.InstallationBound;
import io.artifactserver.storage.backend.SetupException;
import io.artifactserver.storage.remote.window.ChunkWindow;
import io.artifactserver.storage.remote.window.PartLengths;
import io.artifactserver.storage.remote.window.PartWindow;
import io.artifactserver.storage.remote.window.TransferBudget;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.model.ListMultipartUploadsResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.MultipartUpload;
import software.amazon.awssdk.services.s3.model.S3Object;

/**
 * Keeps each blob as one object {@code <prefix>blobs/<key>} of a bucket. Thread-safe. A read is one
 * ranged GET a chunk, several at once, pinned to the object's entity tag; an upload is visible when
 * it is complete.
 */
public final class S3BlobStore implements BlobStore, InstallationBound {
  static final String NAME = "s3";
  private static final Logger LOGGER = LoggerFactory.getLogger(S3BlobStore.class);
  private static final String INSTALLATION_ID = "installation-id";
  private static final String PROBE = "probe";
  private static final Duration WRITE_CHECK_INTERVAL = Duration.ofMinutes(1);

  private final S3Bucket bucket;
  private final ObjectWriter objects;
  private final EntityTags tags;
  private final ChunkWindow chunks;
  private final PartWindow parts;
  private final int partLength;

  /** When {@link #check} writes again. */
  private final AtomicLong writableUntil;

  /**
   * @param budget of the whole process
   */
  S3BlobStore(S3Bucket bucket, S3Properties properties, TransferBudget budget) {
    this.bucket = bucket;
    this.objects = new ObjectWriter(bucket, properties);
    this.chunks =
        new ChunkWindow((int) properties.chunkSize().toBytes(), properties.window(), budget);
    this.partLength = (int) properties.partSize().toBytes();
    this.parts = new PartWindow(new PartLengths(partLength), properties.window(), budget);
    this.tags = new EntityTags();
    this.writableUntil = new AtomicLong(System.nanoTime());
  }

  /** As another store, but it has seen no object yet. */
  private S3BlobStore(S3BlobStore other) {
    this.bucket = other.bucket;
    this.objects = other.objects;
    this.chunks = other.chunks;
    this.partLength = other.partLength;
    this.parts = other.parts;
    this.tags = new EntityTags();
    this.writableUntil = other.writableUntil;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Blob blob(BlobRef ref) {
    return new S3Blob(ref, bucket, tags, chunks);
  }

  /** A part, which is filled before it is sent. */
  @Override
  public long uploadMemory() {
    return partLength;
  }

  @Override
  public BlobUpload begin(String key) {
    objects.begun(BlobRef.requireKey(key));
    return new S3BlobUpload(bucket, objects, tags, parts, partLength, key);
  }

  @Override
  public BlobUpload resume(UploadCheckpoint checkpoint) throws StorageException {
    try {
      S3UploadState state = S3UploadState.parse(checkpoint.state());
      objects.resumed(checkpoint.key(), state.mark());
      return S3BlobUpload.resumed(bucket, objects, tags, parts, partLength, checkpoint, state);
    } catch (IllegalArgumentException e) {
      throw new StorageException.BlobCorrupt(
          NAME, checkpoint.ref(), "its upload cannot go on: " + e.getMessage(), e);
    }
  }

  @Override
  public void discard(UploadCheckpoint checkpoint) {
    String key = checkpoint.key();
    try {
      S3UploadState state = S3UploadState.parse(checkpoint.state());
      if (!state.uploadId().isEmpty()) {
        objects.abort(key, state.uploadId());
      }
      if (state.rest().length() > 0) {
        objects.deleteRest(key, state.rest().number());
      }
      if (state.olderRest() != 0) {
        objects.deleteRest(key, state.olderRest());
      }
    } catch (IllegalArgumentException e) {
      LOGGER.debug("Leaving upload {} to the sweeper", key, e);
    }
  }

  @Override
  public void delete(BlobRef ref) throws StorageException {
    try {
      bucket.delete(ref.key());
    } catch (SdkException e) {
      if (!S3Errors.isNotFound(e) || S3Errors.isNoBucket(e)) {
        throw bucket.errors().ofBlob(ref, "delete", e);
      }
    } finally {
      tags.forget(ref.key());
    }
  }

  /** Forgets which object was read before: it may be a repaired one now. */
  @Override
  public void forgetCopies(BlobRef ref) {
    tags.forget(ref.key());
  }

  @Override
  public BlobStore originals() {
    return new S3BlobStore(this);
  }

  @Override
  public Stream<StoredBlob> list() throws StorageException {
    // The first page now, so that an outage shows here; the others while the stream is consumed.
    ListObjectsV2Response first = page(bucket.blobPrefix(), null);
    return Stream.iterate(Optional.of(first), Optional::isPresent, S3BlobStore.this::next)
        .flatMap(page -> page.orElseThrow().contents().stream())
        .flatMap(object -> stored(object).stream());
  }

  @Override
  public int removeAbandonedUploads(Instant begunBefore, Set<String> resumable)
      throws StorageException {
    int removed = 0;
    try {
      ListMultipartUploadsResponse page = null;
      do {
        ListMultipartUploadsResponse before = page;
        page =
            bucket.ask(client ->
                client.listMultipartUploads(request ->
                    request
                        .bucket(bucket.name())
                        .prefix(bucket.blobPrefix())
                        .keyMarker(before == null ? null : before.nextKeyMarker())
                        .uploadIdMarker(before == null ? null : before.nextUploadIdMarker())));
        for (MultipartUpload upload : page.uploads()) {
          Optional<String> key = key(upload.key());
          if (key.isPresent() && !isInUse(key.get(), resumable) && isBefore(upload, begunBefore)) {
            objects.abort(key.get(), upload.uploadId());
            removed++;
          }
        }
      } while (Boolean.TRUE.equals(page.isTruncated()));
    } catch (SdkException e) {
      throw bucket.errors().ofStore("list the uploads under way", e);
    }
    return removed + removeRests(begunBefore, resumable);
  }

  /** Removes the rests of uploads that nobody knows. */
  private int removeRests(Instant writtenBefore, Set<String> resumable) throws StorageException {
    int removed = 0;
    @Nullable String token = null;
    do {
      ListObjectsV2Response page = page(bucket.restPrefix(), token);
      for (S3Object object : page.contents()) {
        String name = object.key().substring(bucket.restPrefix().length());
        int end = name.indexOf('/');
        if (end > 0
            && BlobRef.isKey(name.substring(0, end))
            && !isInUse(name.substring(0, end), resumable)
            && object.lastModified().isBefore(writtenBefore)) {
          objects.deleteRest(name.substring(0, end), name.substring(end + 1));
          removed++;
        }
      }
      token = Boolean.TRUE.equals(page.isTruncated()) ? page.nextContinuationToken() : null;
    } while (token != null);
    return removed;
  }

  private boolean isInUse(String key, Set<String> resumable) {
    return objects.underWay().contains(key) || resumable.contains(key);
  }

  /** Writes once a minute, and asks for the bucket in between: whoever asks for the health may. */
  @Override
  public void check() throws StorageException {
    long now = System.nanoTime();
    try {
      if (now - writableUntil.get() < 0) {
        bucket.ask(client -> client.headBucket(request -> request.bucket(bucket.name())));
        return;
      }
      // One name, and not deleted: a deletion that fails would say that nothing can be written.
      String probe = bucket.otherName(PROBE);
      bucket.ask(client ->
          client.putObject(
              request -> request.bucket(bucket.name()).key(probe),
              RequestBody.fromString("Written now and then to see whether that is possible.\n")));
      writableUntil.set(now + WRITE_CHECK_INTERVAL.toNanos());
    } catch (SdkException e) {
      throw bucket.errors().ofStore("write", e);
    }
  }

  /**
   * @throws SetupException if the prefix belongs to another installation, or cannot be asked
   */
  @Override
  public void bind(UUID installationId) {
    String name = bucket.otherName(INSTALLATION_ID);
    String place = "The prefix \"%s\" of bucket %s".formatted(bucket.prefix(), bucket.name());
    try {
      Optional<String> bound = bound(name);
      if (bound.isEmpty()) {
        // Of two installations that find nothing at once, one must lose.
        objects.putOnce(name, installationId + "\n");
        bound = bound(name);
      }
      if (!bound.equals(Optional.of(installationId.toString()))) {
        throw new SetupException(
            place
                + (" belongs to the catalog of installation %s, but the database is that of"
                        + " installation %s. Serving both would delete every blob as an orphan. Give"
                        + " this one a prefix of its own (artifact-server.storage.s3.prefix), or"
                        + " start with the database that belongs to the bucket.")
                    .formatted(bound.orElse("?"), installationId),
            null);
      }
    } catch (SdkException | StorageException e) {
      throw new SetupException(
          place + " cannot be bound to this installation: " + e.getMessage(), e);
    }
  }

  private static boolean isBefore(MultipartUpload upload, Instant instant) {
    Instant initiated = upload.initiated();
    return initiated != null && initiated.isBefore(instant);
  }

  private Optional<String> bound(String name) throws StorageException {
    try {
      return Optional.of(
          bucket
              .ask(client ->
                  client.getObjectAsBytes(request -> request.bucket(bucket.name()).key(name)))
              .asString(StandardCharsets.US_ASCII)
              .strip());
    } catch (SdkException e) {
      if (S3Errors.isNotFound(e)) {
        return Optional.empty();
      }
      throw e;
    }
  }

  private Optional<ListObjectsV2Response> next(Optional<ListObjectsV2Response> page) {
    ListObjectsV2Response before = page.orElseThrow();
    try {
      return Boolean.TRUE.equals(before.isTruncated())
          ? Optional.of(page(bucket.blobPrefix(), before.nextContinuationToken()))
          : Optional.empty();
    } catch (StorageException e) {
      throw new UncheckedIOException(e);
    }
  }

  private ListObjectsV2Response page(String prefix, @Nullable String continuationToken)
      throws StorageException {
    try {
      return bucket.ask(client ->
          client.listObjectsV2(request ->
              request.bucket(bucket.name()).prefix(prefix).continuationToken(continuationToken)));
    } catch (SdkException e) {
      throw bucket.errors().ofStore("list", e);
    }
  }

  private Optional<StoredBlob> stored(S3Object object) {
    return key(object.key())
        .map(key -> new StoredBlob(new BlobRef(key, object.size()), object.lastModified()));
  }

  private Optional<String> key(String objectName) {
    return objectName.startsWith(bucket.blobPrefix())
        ? Optional.of(objectName.substring(bucket.blobPrefix().length())).filter(BlobRef::isKey)
        : Optional.empty();
  }
}
