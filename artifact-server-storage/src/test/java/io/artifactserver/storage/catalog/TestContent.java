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
public final class TestContent {
  private TestContent() {}

  /** The digests of a text. */
  public static Digests digests(String text) {
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
  public static BlobRef newBlob(String text) {
    return new BlobRef(
        UUID.randomUUID().toString().replace("-", ""),
        text.getBytes(StandardCharsets.UTF_8).length);
  }

  /** As {@link #newBlob}, encrypted. */
  public static BlobRef newEncryptedBlob(String text) {
    BlobRef plain = newBlob(text);
    return new BlobRef(plain.key(), plain.length(), true);
  }
}
