package io.artifactserver.storage.catalog;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.digest.Digests;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.Map;
import java.util.UUID;

/** Contents and blobs for tests. */
final class TestContent {
  private TestContent() {}

  /** The digests of a text. */
  static Digests digests(String text) {
    Map<DigestAlgorithm, Digest> values = new EnumMap<>(DigestAlgorithm.class);
    for (DigestAlgorithm algorithm : DigestAlgorithm.values()) {
      values.put(
          algorithm,
          Digest.of(
              algorithm,
              algorithm.newMessageDigest().digest(text.getBytes(StandardCharsets.UTF_8))));
    }
    return new Digests(values);
  }

  /** A blob that was never there. */
  static BlobRef newBlob(String text) {
    return new BlobRef(
        UUID.randomUUID().toString().replace("-", ""),
        text.getBytes(StandardCharsets.UTF_8).length);
  }

  /** As {@link #newBlob}, encrypted. */
  static BlobRef newEncryptedBlob(String text) {
    BlobRef plain = newBlob(text);
    return new BlobRef(plain.key(), plain.length(), true);
  }
}
