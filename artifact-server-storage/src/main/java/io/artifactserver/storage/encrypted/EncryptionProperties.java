package io.artifactserver.storage.encrypted;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;
import org.springframework.util.unit.DataSize;

/**
 * Encryption at rest. Immutable.
 *
 * @param keyFile file of the key ring; default {@code keys.json} in the data folder, which is made
 *     at the first start. Change it to keep the keys on another volume than what they encrypt.
 * @param keyset the key ring itself, in place of a file, for environments that hand secrets over as
 *     variables; none by default. The server cannot rotate it.
 * @param kmsUri key of a KMS that encrypts the ring; none by default. Needs the KMS's Tink
 *     extension on the class path.
 * @param segmentLength unit of encryption of new blobs, in bytes; default 16 KB. Larger segments
 *     make small ranges slower, smaller ones large ranges.
 * @param decryptedCacheSize memory for decrypted copies of what is downloaded again and again, in
 *     bytes; 0 for none; default an eighth of the memory, and none where the system swaps, which
 *     would write them to a disk. Raise it until the images of all running rollouts fit together.
 */
@ConfigurationProperties("artifact-server.encryption")
public record EncryptionProperties(
    @DefaultValue("") String keyFile,
    @DefaultValue("") String keyset,
    @DefaultValue("") String kmsUri,
    @DefaultValue("16KB") DataSize segmentLength,
    @Nullable DataSize decryptedCacheSize) {
  private static final long MIN_SEGMENT_LENGTH = 4096;

  /**
   * @throws IllegalArgumentException if a value is out of its bounds, or two exclude each other
   */
  public EncryptionProperties {
    Assert.isTrue(
        segmentLength.toBytes() >= MIN_SEGMENT_LENGTH
            && segmentLength.toBytes() <= SegmentLayout.MAX_SEGMENT_LENGTH,
        "artifact-server.encryption.segment-length must be 4KB to 16MB, not " + segmentLength);
    Assert.isTrue(
        decryptedCacheSize == null || !decryptedCacheSize.isNegative(),
        "artifact-server.encryption.decrypted-cache-size is 0 or more, not " + decryptedCacheSize);
    Assert.isTrue(
        keyFile.isEmpty() || keyset.isEmpty(),
        "artifact-server.encryption.key-file and keyset exclude each other: set one of them");
  }

  /** Without the keys. */
  @Override
  public String toString() {
    return "EncryptionProperties[keyFile=%s, segmentLength=%s]".formatted(keyFile, segmentLength);
  }
}
