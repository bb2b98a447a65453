package io.artifactserver.storage.encrypted;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.InMemoryBlobStore;
import io.artifactserver.core.blob.InMemoryDataKeyStore;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.range.ByteRange;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The length of segments is a setting of new blobs; those of earlier settings are read beside. */
class SegmentLengthTest {
  private static final int[] LENGTHS = {4096, 64 * 1024, 16 * 1024, 256 * 1024};
  private static final int LENGTH = 700_001;

  private final InMemoryBlobStore inner = new InMemoryBlobStore();
  private final InMemoryDataKeyStore dataKeys = new InMemoryDataKeyStore();
  private final KeyRing ring = KeyRing.ephemeral();

  @Test
  void blobsOfAllLengthsAreReadByTurns() throws Exception {
    Map<BlobRef, byte[]> contents = new LinkedHashMap<>();
    for (int length : LENGTHS) {
      byte[] content = new byte[LENGTH];
      new SplittableRandom(length).nextBytes(content);
      contents.put(store(length, content), content);
    }
    Random random = new Random(3);
    for (int length : LENGTHS) {
      EncryptedBlobStore store = new EncryptedBlobStore(inner, dataKeys, ring, length);
      for (int i = 0; i < 200; i++) {
        // Several at once, so that ciphers of all lengths come back to the pool.
        List<RangeReader> readers = new ArrayList<>();
        for (Map.Entry<BlobRef, byte[]> entry : contents.entrySet()) {
          int position = random.nextInt(LENGTH);
          int end = position + random.nextInt(LENGTH - position) + 1;
          ByteRange range = new ByteRange(position, end - position);
          RangeReader reader = store.blob(entry.getKey()).open(range);
          readers.add(reader);
          assertThat(read(reader, end - position))
              .isEqualTo(Arrays.copyOfRange(entry.getValue(), position, end));
        }
        readers.forEach(RangeReader::close);
      }
    }
  }

  @Test
  void whatWasGivenBackServesSegmentsOfItsLengthAndShorterOnes() {
    SegmentCipher.Pool pool = new SegmentCipher.Pool(16 * 1024, 2);
    SegmentCipher longer = pool.acquire(64 * 1024);
    pool.release(longer);
    assertThat(pool.acquire(16 * 1024)).isSameAs(longer);
    SegmentCipher shorter = pool.acquire(16 * 1024);
    pool.release(shorter);
    SegmentCipher other = pool.acquire(64 * 1024);
    assertThat(other).isNotSameAs(shorter);
    assertThat(other.ciphertext()).hasSize(64 * 1024);
    // Sixteen of those that nobody asks for again would be much memory.
    SegmentCipher longest = pool.acquire(1 << 20);
    pool.release(longest);
    assertThat(pool.acquire(1024)).isNotSameAs(longest);
  }

  private BlobRef store(int segmentLength, byte[] content) throws StorageException {
    try (BlobUpload upload = new EncryptedBlobStore(inner, dataKeys, ring, segmentLength).begin()) {
      upload.write(ByteBuffer.wrap(content));
      return upload.commit();
    }
  }

  private static byte[] read(RangeReader reader, int length) throws StorageException {
    ByteBuffer target = ByteBuffer.allocate(length);
    while (target.hasRemaining() && reader.read(target) >= 0) {
      // Reads on.
    }
    return target.array();
  }
}
