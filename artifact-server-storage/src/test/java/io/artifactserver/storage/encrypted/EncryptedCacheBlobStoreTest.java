package io.artifactserver.storage.encrypted;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.BlobStoreContract;
import io.artifactserver.core.blob.InMemoryBlobStore;
import io.artifactserver.core.blob.InMemoryDataKeyStore;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.storage.local.mapped.MappedFiles;
import io.artifactserver.storage.remote.cache.CacheProperties;
import io.artifactserver.storage.remote.cache.CachingBlobStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.util.unit.DataSize;

/** Encryption over the cache over a store: what is cached is ciphertext. */
class EncryptedCacheBlobStoreTest extends BlobStoreContract {
  private static final int SEGMENT_LENGTH = 16 * 1024;

  @TempDir private Path folder;
  private final InMemoryBlobStore memory = new InMemoryBlobStore();
  private final MappedFiles mappedFiles = new MappedFiles(16, Duration.ofMinutes(5));
  private CachingBlobStore cache;
  private EncryptedBlobStore store;

  @BeforeEach
  void openStore() throws StorageException {
    CacheProperties properties =
        new CacheProperties(
            true,
            "",
            DataSize.ofGigabytes(1),
            DataSize.ofBytes(0),
            CacheProperties.Fill.WHOLE,
            DataSize.ofKilobytes(64),
            4);
    cache = CachingBlobStore.open(memory, folder, properties, mappedFiles);
    store =
        new EncryptedBlobStore(
            cache, new InMemoryDataKeyStore(), KeyRing.ephemeral(), SEGMENT_LENGTH);
  }

  @AfterEach
  void closeStore() {
    cache.close();
    mappedFiles.close();
  }

  @Override
  protected BlobStore store() {
    return store;
  }

  @Override
  protected long unit() {
    return SEGMENT_LENGTH;
  }

  @Override
  protected boolean supportsFileRegions() {
    return false;
  }

  @Test
  void theDiskHasCiphertextOnly() throws IOException {
    String plain = "everybody may know this ".repeat(1000);
    byte[] content = plain.getBytes(StandardCharsets.US_ASCII);
    BlobRef ref = store(content);
    for (int i = 0; i < 2; i++) {
      assertThat(read(store.blob(ref), ByteRange.whole(content.length), ByteBuffer.allocate(999)))
          .isEqualTo(content);
    }
    List<Path> files;
    try (Stream<Path> walk = Files.walk(folder)) {
      files = walk.filter(Files::isRegularFile).toList();
    }
    assertThat(files).hasSize(1);
    assertThat(Files.readString(files.getFirst(), StandardCharsets.ISO_8859_1))
        .doesNotContain("everybody");
    assertThat(cache.figures().filledBytes()).isEqualTo(memory.bytes(ref.key()).length);
  }
}
