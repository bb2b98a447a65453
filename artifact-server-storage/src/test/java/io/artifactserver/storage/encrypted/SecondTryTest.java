package io.artifactserver.storage.encrypted;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.artifactserver.core.blob.Blob;
import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.DataKeyStore;
import io.artifactserver.core.blob.FileRegion;
import io.artifactserver.core.blob.ForwardingBlobStore;
import io.artifactserver.core.blob.ForwardingDataKeyStore;
import io.artifactserver.core.blob.InMemoryBlobStore;
import io.artifactserver.core.blob.InMemoryDataKeyStore;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.StorageException.BlobCorrupt;
import io.artifactserver.core.blob.Wait;
import io.artifactserver.core.catalog.CatalogUnavailableException;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.storage.local.mapped.MappedFiles;
import io.artifactserver.storage.remote.cache.CacheProperties;
import io.artifactserver.storage.remote.cache.CachingBlobStore;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.util.unit.DataSize;

/**
 * A copy of a ciphertext that is damaged, or a way that damages it, costs a second try: the copy is
 * dropped, and an artifact whose stored bytes are right is never called damaged.
 */
class SecondTryTest {
  private static final int SEGMENT = 16 * 1024;
  private static final int LENGTH = 300_000;

  @TempDir private Path folder;
  private final InMemoryBlobStore memory = new InMemoryBlobStore();
  private final InMemoryDataKeyStore dataKeys = new InMemoryDataKeyStore();
  private final KeyRing ring = KeyRing.ephemeral();
  private final byte[] content = content();

  /**
   * In the magic number, the segment length, the salt, the nonce prefix, a segment, the last tag.
   */
  @ParameterizedTest
  @ValueSource(ints = {0, 11, 20, 50, 100, 5 * SEGMENT, -1})
  void aDamagedCopyIsDroppedAndMadeAgain(int damage) throws Exception {
    try (MappedFiles files = new MappedFiles(16, Duration.ofMinutes(5));
        CachingBlobStore cache = CachingBlobStore.open(memory, folder, properties(), files)) {
      BlobRef ref = store(new EncryptedBlobStore(cache, dataKeys, ring, SEGMENT));
      byte[] sealed = memory.bytes(ref.key());
      int position = damage < 0 ? sealed.length + damage : damage;
      memory.replace(ref.key(), flipped(sealed, position));
      // Filled on a way that lies, which the cache cannot know. The keys are not remembered.
      BlobStore filling = new EncryptedBlobStore(cache, dataKeys, ring, SEGMENT);
      assertThatExceptionOfType(BlobCorrupt.class).isThrownBy(() -> read(filling, ref));
      try (RangeReader all =
          cache.blob(new BlobRef(ref.key(), sealed.length)).open(ByteRange.whole(sealed.length))) {
        ByteBuffer copy = ByteBuffer.allocate(sealed.length);
        while (all.read(copy) >= 0) {
          // Reads on.
        }
        assertThat(copy.array()).as("cached").isEqualTo(flipped(sealed, position));
      }
      memory.replace(ref.key(), sealed);
      assertThat(read(filling, ref)).as("with what is remembered").isEqualTo(content);
      assertThat(read(filling, ref)).as("from the copy made again").isEqualTo(content);
      BlobStore fresh = new EncryptedBlobStore(cache, dataKeys, ring, SEGMENT);
      assertThat(read(fresh, ref)).isEqualTo(content);
    }
  }

  @Test
  void aWayThatLiesNowAndThenDamagesNothing() throws Exception {
    Way way = new Way(memory);
    EncryptedBlobStore store = new EncryptedBlobStore(way, dataKeys, ring, SEGMENT);
    BlobRef ref = store(store);
    // Each segment has a try of its own.
    way.lie(20, 3 * SEGMENT, 4 * SEGMENT, 9 * SEGMENT);
    assertThat(read(store, ref)).isEqualTo(content);
    assertThat(way.isHonest()).isTrue();
  }

  @Test
  void whatIsWrongTwiceIsDamage() throws Exception {
    Way way = new Way(memory);
    EncryptedBlobStore store = new EncryptedBlobStore(way, dataKeys, ring, SEGMENT);
    BlobRef ref = store(store);
    way.lie(3 * SEGMENT, 3 * SEGMENT);
    assertThatExceptionOfType(BlobCorrupt.class)
        .isThrownBy(() -> read(store, ref))
        .withMessageContaining("segment 3 of");
    assertThat(read(store, ref)).isEqualTo(content);
  }

  /** The key that is known will do, then; nor is it forgotten. */
  @Test
  void theSecondTryNeedsNoDatabase() throws Exception {
    Way way = new Way(memory);
    boolean[] isAway = {false};
    DataKeyStore database =
        new ForwardingDataKeyStore(dataKeys) {
          @Override
          public Optional<WrappedDataKey> find(String blobKey) {
            if (isAway[0]) {
              throw new CatalogUnavailableException("away");
            }
            return super.find(blobKey);
          }
        };
    EncryptedBlobStore store = new EncryptedBlobStore(way, database, ring, SEGMENT);
    BlobRef ref = store(store);
    assertThat(read(store, ref)).isEqualTo(content);
    isAway[0] = true;
    way.lie(3 * SEGMENT);
    assertThat(read(store, ref)).isEqualTo(content);
    assertThat(read(store, ref)).isEqualTo(content);
  }

  private BlobRef store(BlobStore store) throws StorageException {
    try (BlobUpload upload = store.begin()) {
      upload.write(ByteBuffer.wrap(content));
      return upload.commit();
    }
  }

  private static byte[] read(BlobStore store, BlobRef ref) throws StorageException {
    ByteBuffer target = ByteBuffer.allocate((int) ref.length());
    try (RangeReader reader = store.blob(ref).open(ByteRange.whole(ref.length()))) {
      while (reader.read(target) >= 0) {
        // Reads on.
      }
    }
    return target.array();
  }

  private static byte[] flipped(byte[] bytes, int position) {
    byte[] flipped = bytes.clone();
    flipped[position] ^= 1;
    return flipped;
  }

  private static byte[] content() {
    byte[] content = new byte[LENGTH];
    new Random(7).nextBytes(content);
    return content;
  }

  private static CacheProperties properties() {
    return new CacheProperties(
        true,
        "",
        DataSize.ofGigabytes(1),
        DataSize.ofBytes(0),
        CacheProperties.Fill.WHOLE,
        DataSize.ofKilobytes(64),
        4);
  }

  /** Flips bytes at planned positions, each as often as it was planned. Used by one thread. */
  private static final class Way extends ForwardingBlobStore {
    private final List<Long> lies = new ArrayList<>();

    Way(BlobStore store) {
      super(store);
    }

    void lie(long... positions) {
      for (long position : positions) {
        lies.add(position);
      }
    }

    boolean isHonest() {
      return lies.isEmpty();
    }

    @Override
    public Blob blob(BlobRef ref) {
      Blob blob = super.blob(ref);
      return new Blob() {
        @Override
        public BlobRef ref() {
          return ref;
        }

        @Override
        public RangeReader open(ByteRange range) throws StorageException {
          return new LyingReader(blob.open(range), range.position(), lies);
        }

        @Override
        public Wait waitToOpen() {
          return Wait.REMOTE;
        }

        @Override
        public Optional<FileRegion> fileRegion(ByteRange range) {
          return Optional.empty();
        }
      };
    }
  }

  private static final class LyingReader implements RangeReader {
    private final RangeReader reader;
    private final List<Long> lies;
    private long position;

    LyingReader(RangeReader reader, long position, List<Long> lies) {
      this.reader = reader;
      this.position = position;
      this.lies = lies;
    }

    @Override
    public int read(ByteBuffer target) throws StorageException {
      int start = target.position();
      int length = reader.read(target);
      for (int i = 0; i < length; i++) {
        // The first of equals: the others lie later.
        if (lies.remove(Long.valueOf(position + i))) {
          target.put(start + i, (byte) (target.get(start + i) ^ 1));
        }
      }
      position += Math.max(0, length);
      return length;
    }

    @Override
    public Wait waitToRead(int length) {
      return Wait.REMOTE;
    }

    @Override
    public boolean isOpen() {
      return reader.isOpen();
    }

    @Override
    public void close() {
      reader.close();
    }
  }
}
