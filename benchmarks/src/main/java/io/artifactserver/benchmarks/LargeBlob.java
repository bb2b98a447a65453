package io.artifactserver.benchmarks;

import io.artifactserver.core.blob.Blob;
import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.storage.local.file.FileBlobStore;
import io.artifactserver.storage.local.mapped.MappedFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.commons.io.FileUtils;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/**
 * A blob of 800 MB in a folder of its own, warm in the page cache. Shorter ones flatter whoever
 * copies through the processor's cache.
 */
// JMH calls the set-up before anything else; a constructor cannot do its work.
@SuppressWarnings("NullAway.Init")
public abstract class LargeBlob {
  /** In bytes. */
  static final long LENGTH = 800_000_000;

  private static final int PIECE_LENGTH = 1_000_000;

  private final MappedFiles mappedFiles = new MappedFiles(16, Duration.ofMinutes(5));
  private Path folder;
  private Path file;
  private Blob blob;

  /** The store under test, in front of the files. */
  protected abstract BlobStore store(BlobStore files);

  /** Writes the blob. */
  @Setup(Level.Trial)
  public void create() throws IOException {
    folder = Files.createTempDirectory("benchmark-blob");
    BlobStore store = store(FileBlobStore.open(folder, mappedFiles));
    byte[] content = new byte[PIECE_LENGTH];
    new Random(1).nextBytes(content);
    BlobRef ref;
    try (BlobUpload upload = store.begin()) {
      for (long written = 0; written < LENGTH; written += content.length) {
        upload.write(ByteBuffer.wrap(content));
      }
      ref = upload.commit();
    }
    blob = store.blob(ref);
    try (Stream<Path> files = Files.walk(folder)) {
      file = files.filter(Files::isRegularFile).max(Comparator.naturalOrder()).orElseThrow();
    }
  }

  /** Deletes it. */
  @TearDown(Level.Trial)
  public void delete() throws IOException {
    mappedFiles.close();
    FileUtils.deleteDirectory(folder.toFile());
  }

  Blob blob() {
    return blob;
  }

  /** The file that has the bytes. */
  Path file() {
    return file;
  }

  /** Reads a range through a buffer that is used again. Returns the bytes read. */
  long read(ByteRange range, ByteBuffer buffer) throws IOException {
    try (RangeReader reader = blob.open(range)) {
      return read(reader, buffer);
    }
  }

  /** Reads all there is. */
  static long read(RangeReader reader, ByteBuffer buffer) throws StorageException {
    long total = 0;
    for (int n = reader.read(buffer.clear()); n >= 0; n = reader.read(buffer.clear())) {
      total += n;
    }
    return total;
  }
}
