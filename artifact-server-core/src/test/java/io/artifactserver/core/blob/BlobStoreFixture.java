package io.artifactserver.core.blob;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.blob.BlobStore.StoredBlob;
import io.artifactserver.core.range.ByteRange;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A store under test, the hooks that its test answers, and ways to fill and read it. */
public abstract class BlobStoreFixture {
  static final List<IntFunction<ByteBuffer>> BUFFERS =
      List.of(ByteBuffer::allocate, ByteBuffer::allocateDirect);

  /** The store under test; the same one throughout a test, an empty one for each. */
  protected abstract BlobStore store();

  /** Length in bytes of what the store reads or encrypts at once; its edges are tested. */
  protected long unit() {
    return 64 * 1024;
  }

  /** Whether {@link Blob#fileRegion} is present. */
  protected boolean supportsFileRegions() {
    return true;
  }

  /** Whether {@link #createSparseBlob} is implemented. */
  protected boolean supportsSparseBlobs() {
    return false;
  }

  /** Whether {@link #abandonUpload} is implemented. */
  protected boolean supportsAbandonedUploads() {
    return false;
  }

  /**
   * Creates a blob of zeros in no time, but for {@code bytes} at {@code position}.
   *
   * @param length in bytes
   */
  protected BlobRef createSparseBlob(long length, long position, byte[] bytes) throws IOException {
    throw new UnsupportedOperationException("supportsSparseBlobs() is false");
  }

  /** Leaves behind what an upload leaves whose process was killed. */
  protected void abandonUpload(Instant begunAt) throws IOException {
    throw new UnsupportedOperationException("supportsAbandonedUploads() is false");
  }

  /**
   * The store as another process opens it after the first was killed; the same one if the test has
   * no way to do that.
   */
  protected BlobStore restarted() throws StorageException {
    return store();
  }

  /** Stores {@code content} as one blob. */
  protected final BlobRef store(byte[] content) throws StorageException {
    try (BlobUpload upload = store().begin()) {
      upload.write(ByteBuffer.wrap(content));
      return upload.commit();
    }
  }

  /** Reproducible bytes without a pattern. */
  protected static byte[] content(int length, long seed) {
    byte[] content = new byte[length];
    new SplittableRandom(seed).nextBytes(content);
    return content;
  }

  /** Reads a range to its end through {@code buffer}, and asks once more behind the end. */
  protected static byte[] read(Blob blob, ByteRange range, ByteBuffer buffer)
      throws StorageException {
    ByteBuffer all = ByteBuffer.allocate((int) range.length());
    try (RangeReader reader = blob.open(range)) {
      buffer.clear();
      int n = reader.read(buffer);
      while (n >= 0) {
        assertThat(n).isPositive().isEqualTo(buffer.position());
        all.put(buffer.flip());
        buffer.clear();
        n = reader.read(buffer);
      }
      assertThat(reader.read(buffer)).isEqualTo(-1);
    }
    assertThat(all.hasRemaining()).isFalse();
    return all.array();
  }

  /** Every committed blob. */
  protected final Set<BlobRef> listed() throws StorageException {
    try (Stream<StoredBlob> blobs = store().list()) {
      return blobs.map(StoredBlob::ref).collect(Collectors.toSet());
    }
  }

  byte[] readWhole(BlobRef ref) throws StorageException {
    return read(store().blob(ref), ByteRange.whole(ref.length()), ByteBuffer.allocate(8192));
  }

  static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    return bytes;
  }

  static void assertBytes(byte[] actual, byte[] content, ByteRange range) {
    int mismatch =
        Arrays.mismatch(
            actual, 0, actual.length, content, (int) range.position(), (int) range.end());
    assertThat(mismatch).as("first wrong byte of %s", range).isEqualTo(-1);
  }

  static <T> List<T> together(List<Callable<T>> tasks) throws Exception {
    try (ExecutorService executor = Executors.newFixedThreadPool(tasks.size())) {
      List<T> results = new ArrayList<>();
      for (Future<T> future : executor.invokeAll(tasks)) {
        results.add(future.get());
      }
      return results;
    }
  }
}
