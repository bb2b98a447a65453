package io.artifactserver.storage.remote.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.FakeRemoteStore;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.StorageException.StorageUnavailable;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.storage.local.mapped.MappedFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Caches of a remote store that counts and fails, with a clock and a disk of their own. */
@ExtendWith(OutputCaptureExtension.class)
abstract class CacheFixture {
  static final int PIECE = TestProperties.PIECE_LENGTH;

  @TempDir Path folder;
  final FakeRemoteStore remote = new FakeRemoteStore();
  final MappedFiles mappedFiles = new MappedFiles(64, Duration.ofMinutes(5));
  final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-01-01T00:00:00Z"));
  final AtomicLong diskBytes = new AtomicLong(1L << 40);
  final List<CachingBlobStore> opened = new ArrayList<>();

  @AfterEach
  void closeStores() {
    remote.fault(_ -> {});
    opened.forEach(CachingBlobStore::close);
    mappedFiles.close();
  }

  CachingBlobStore open(CacheProperties properties) throws StorageException {
    return open(folder, properties);
  }

  CachingBlobStore open(Path own, CacheProperties properties) throws StorageException {
    CachingBlobStore store =
        CachingBlobStore.open(remote, own, properties, mappedFiles, now::get, this::freeBytes);
    opened.add(store);
    return store;
  }

  /** The room on a disk that stores no file sparsely. */
  private long freeBytes() {
    try {
      long used = 0;
      for (Path file : files()) {
        used += Files.size(file);
      }
      return diskBytes.get() - used;
    } catch (IOException | UncheckedIOException _) {
      // A file went while it was looked at.
      return diskBytes.get();
    }
  }

  /** Compares every byte, and returns how many there were. */
  static int read(BlobStore store, BlobRef ref, byte[] content, ByteRange range)
      throws StorageException {
    ByteBuffer all = ByteBuffer.allocate((int) range.length());
    try (RangeReader reader = store.blob(ref).open(range)) {
      while (reader.read(all) >= 0) {
        if (!all.hasRemaining()) {
          assertThat(reader.read(ByteBuffer.allocate(1))).isEqualTo(-1);
          break;
        }
      }
    }
    int wrong =
        Arrays.mismatch(
            all.array(), 0, all.position(), content, (int) range.position(), (int) range.end());
    assertThat(wrong).as("first wrong byte of %s", range).isEqualTo(-1);
    return all.position();
  }

  static byte[] content(int length, long seed) {
    byte[] content = new byte[length];
    new SplittableRandom(seed).nextBytes(content);
    return content;
  }

  Path file(BlobRef ref) {
    return folder.resolve(ref.key().substring(0, 2)).resolve(ref.key());
  }

  List<Path> files() throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(Files::isRegularFile).toList();
    }
  }

  static void awaitQuietly(CountDownLatch latch) throws StorageException {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new StorageUnavailable("remote", "interrupted", e);
    }
  }
}
