package io.artifactserver.storage.remote.s3;

import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.UploadCheckpoint;
import io.artifactserver.core.digest.DigestAlgorithm;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.ListPartsResponse;
import software.amazon.awssdk.services.s3.model.MultipartUpload;
import software.amazon.awssdk.services.s3.model.Part;
import software.amazon.awssdk.services.s3.model.S3Object;

/**
 * Parts, whole and not, that an earlier process may have sent behind an upload's checkpoint: they
 * have to come again as they were. A whole one cannot be read, but its entity tag is the MD5 of its
 * bytes as a rule; where it is something else, the upload is over. Thread-safe.
 */
final class RepeatedParts {
  /** More rests than one attempt leaves, each as long as a part, are not kept in memory. */
  private static final int MAX_RESTS = 4;

  private final UploadCheckpoint checkpoint;

  /** By part number. */
  private final Map<Integer, Part> whole = new ConcurrentHashMap<>();

  private final Map<Integer, byte[]> rests = new ConcurrentHashMap<>();

  private RepeatedParts(UploadCheckpoint checkpoint) {
    this.checkpoint = checkpoint;
  }

  /**
   * Looks for what was sent behind a checkpoint. I/O.
   *
   * @param uploadId of the upload in parts; empty if there is none
   * @param sentParts of the checkpoint
   */
  static RepeatedParts find(
      S3Bucket bucket, UploadCheckpoint checkpoint, String uploadId, int sentParts)
      throws StorageException {
    RepeatedParts repeated = new RepeatedParts(checkpoint);
    String key = checkpoint.key();
    if (!uploadId.isEmpty()) {
      ListPartsResponse page = null;
      do {
        // From the first on: not every server knows where else to begin.
        Integer after = page == null ? null : page.nextPartNumberMarker();
        page =
            bucket.ask(client ->
                client.listParts(request ->
                    request
                        .bucket(bucket.name())
                        .key(bucket.objectName(key))
                        .uploadId(uploadId)
                        .partNumberMarker(after)));
        page.parts().stream()
            .filter(part -> part.partNumber() > sentParts)
            .forEach(part -> repeated.whole.put(part.partNumber(), part));
      } while (Boolean.TRUE.equals(page.isTruncated()));
    }
    repeated.findRests(bucket, key, sentParts);
    return repeated;
  }

  /**
   * The upload in parts that a process has begun behind a checkpoint without one; empty if there is
   * none. I/O.
   */
  static String begun(S3Bucket bucket, UploadCheckpoint checkpoint) throws StorageException {
    String name = bucket.objectName(checkpoint.key());
    List<MultipartUpload> uploads =
        bucket
            .ask(client ->
                client.listMultipartUploads(request -> request.bucket(bucket.name()).prefix(name)))
            .uploads();
    if (uploads.size() > 1) {
      throw new RepeatedParts(checkpoint).corrupt("was begun more than once");
    }
    return uploads.isEmpty() ? "" : uploads.getFirst().uploadId();
  }

  /**
   * Checks a part before it is sent.
   *
   * @throws StorageException.BlobCorrupt if an earlier process has sent another one
   */
  void requireSame(int number, ByteBuffer part) throws StorageException.BlobCorrupt {
    requireBeginsSame(number, part);
    Part earlier = whole.get(number);
    if (earlier != null) {
      MessageDigest md5 = DigestAlgorithm.MD5.newMessageDigest();
      md5.update(part.duplicate());
      String tag = earlier.eTag().replace("\"", "");
      if (earlier.size() != part.remaining()
          || !tag.equals(HexFormat.of().formatHex(md5.digest()))) {
        throw corrupt("goes on with other bytes than before");
      }
      whole.remove(number);
    }
    rests.remove(number);
  }

  /** As the other method, for the first bytes of a part. */
  void requireBeginsSame(int number, ByteBuffer part) throws StorageException.BlobCorrupt {
    byte[] rest = rests.get(number);
    if (rest != null) {
      int length = Math.min(rest.length, part.remaining());
      if (!part.slice(part.position(), length).equals(ByteBuffer.wrap(rest, 0, length))) {
        throw corrupt("goes on with other bytes than before");
      }
    }
  }

  /** Whether bytes of a part can be told from others before all of it is there. */
  boolean mayBeginOf(int number) {
    return !whole.containsKey(number);
  }

  private void findRests(S3Bucket bucket, String key, int sentParts) throws StorageException {
    String prefix = bucket.restName(key, "");
    ListObjectsV2Response page =
        bucket.ask(client ->
            client.listObjectsV2(request -> request.bucket(bucket.name()).prefix(prefix)));
    for (S3Object object : page.contents()) {
      int number = Integer.parseInt(object.key().substring(prefix.length()));
      if (number > sentParts) {
        if (rests.size() == MAX_RESTS || Boolean.TRUE.equals(page.isTruncated())) {
          throw corrupt("was cut off too often");
        }
        rests.put(
            number,
            bucket
                .ask(client ->
                    client.getObjectAsBytes(
                        request -> request.bucket(bucket.name()).key(object.key())))
                .asByteArray());
      }
    }
  }

  private StorageException.BlobCorrupt corrupt(String reason) {
    return new StorageException.BlobCorrupt(
        S3BlobStore.NAME, checkpoint.ref(), "its upload " + reason, null);
  }
}
