package io.artifactserver.core.migrate;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.BlobStore.StoredBlob;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.range.ByteRange;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Use case: copy every blob from one store to another, under the same keys, while a server goes on
 * serving from the first. Immutable, thread-safe.
 *
 * <p>Blobs that the target has already are not copied again, so a run that was killed is resumed by
 * the next, and a last run with the server stopped copies only what came in meanwhile. The source
 * is only read. Bytes are copied as they are stored: ciphertext stays ciphertext, and is bound to
 * its key, which stays too.
 *
 * <p>A blob counts as copied when the SHA-256 of what was read is the catalog's, where the catalog
 * knows it, and that of what the target gives back is the same. Otherwise it is deleted from the
 * target.
 *
 * @param source is not changed
 * @param target of blobs of the same installation only: others would be taken for orphans
 */
public record BlobMigration(
    BlobStore source, BlobStore target, StoredDigests digests, MigrationObserver observer) {
  private static final int PAGE = 500;
  private static final int BUFFER_LENGTH = 512 * 1024;

  /**
   * Copies what the target lacks. Blocks until everything is tried.
   *
   * @param parallel how many blobs at a time, at least 1
   * @param verifyPresent whether to read what the target has already, too: a run that was killed
   *     may have left a last blob that is not verified
   * @throws StorageException if a store cannot be asked at all; what was copied stays
   * @throws InterruptedException if this thread is interrupted; what was copied stays
   */
  public MigrationResult run(int parallel, boolean verifyPresent)
      throws StorageException, InterruptedException {
    if (parallel < 1) {
      throw new IllegalArgumentException(parallel + " blobs at a time");
    }
    Run run = new Run();
    List<Copy> copies = plan(run, verifyPresent);
    observer.planned(copies.size(), copies.stream().mapToLong(copy -> copy.blob().length()).sum());
    try (ExecutorService threads =
        Executors.newFixedThreadPool(parallel, Thread.ofVirtual().factory())) {
      for (Future<?> each :
          threads.invokeAll(
              copies.stream().map(copy -> Executors.callable(() -> copy(copy, run))).toList())) {
        each.get();
      }
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
    StorageException outage = run.outage.get();
    if (outage != null) {
      throw outage;
    }
    return run.result();
  }

  private List<Copy> plan(Run run, boolean verifyPresent) throws StorageException {
    Map<String, Long> present = new HashMap<>();
    try (Stream<StoredBlob> blobs = target.list()) {
      blobs.forEach(blob -> present.put(blob.ref().key(), blob.ref().length()));
    } catch (UncheckedIOException e) {
      throw storageException(e);
    }
    List<Copy> copies = new ArrayList<>();
    List<BlobRef> page = new ArrayList<>();
    try (Stream<StoredBlob> blobs = source.list()) {
      var iterator = blobs.iterator();
      while (iterator.hasNext()) {
        BlobRef blob = iterator.next().ref();
        Long length = present.get(blob.key());
        if (length == null) {
          page.add(blob);
        } else if (length == blob.length()) {
          run.present.incrementAndGet();
          if (verifyPresent) {
            page.add(blob);
          }
        } else {
          run.failed.incrementAndGet();
          observer.failed(
              "Blob %s has %d bytes in the %s store and %d in the %s store; delete the wrong one"
                  .formatted(blob.key(), blob.length(), source.name(), length, target.name()));
        }
        if (page.size() == PAGE) {
          copies.addAll(known(page, present, run));
          page.clear();
        }
      }
    } catch (UncheckedIOException e) {
      throw storageException(e);
    }
    copies.addAll(known(page, present, run));
    return copies;
  }

  private List<Copy> known(List<BlobRef> page, Map<String, Long> present, Run run) {
    if (page.isEmpty()) {
      return List.of();
    }
    Map<String, Optional<Digest>> known = digests.known(page.stream().map(BlobRef::key).toList());
    run.unknown.addAndGet(page.size() - known.size());
    return page.stream()
        .filter(blob -> known.containsKey(blob.key()))
        .map(blob ->
            new Copy(
                blob,
                known.getOrDefault(blob.key(), Optional.empty()),
                present.containsKey(blob.key())))
        .toList();
  }

  private void copy(Copy copy, Run run) {
    if (run.outage.get() != null) {
      return;
    }
    try {
      if (copy.isPresent()) {
        verify(copy);
      } else {
        copyVerified(copy);
        run.copied.incrementAndGet();
      }
      observer.done();
    } catch (StorageException.BlobNotFound e) {
      run.gone.incrementAndGet();
    } catch (StorageException e) {
      run.failed.incrementAndGet();
      observer.failed(String.valueOf(e.getMessage()));
      // One damaged blob is no reason to leave the others; a store that is down is.
      try {
        source.check();
        target.check();
      } catch (StorageException outage) {
        run.outage.set(outage);
      }
    }
  }

  private void verify(Copy copy) throws StorageException {
    BlobRef blob = copy.blob();
    Digest expected =
        copy.sha256().isPresent() ? copy.sha256().get() : digest(source, blob, _ -> {});
    requireSame(blob, expected, observer::transferred);
  }

  private void copyVerified(Copy copy) throws StorageException {
    BlobRef blob = copy.blob();
    MessageDigest digest = DigestAlgorithm.SHA_256.newMessageDigest();
    try (RangeReader reader = source.blob(blob).open(ByteRange.whole(blob.length()));
        BlobUpload upload = target.begin(blob.key())) {
      ByteBuffer buffer = ByteBuffer.allocate(BUFFER_LENGTH);
      while (reader.read(buffer) >= 0) {
        int length = buffer.flip().remaining();
        digest.update(buffer.duplicate());
        upload.write(buffer);
        buffer.clear();
        observer.transferred(length);
      }
      Digest read = Digest.of(DigestAlgorithm.SHA_256, digest.digest());
      if (copy.sha256().filter(expected -> !expected.equals(read)).isPresent()) {
        throw new StorageException.BlobCorrupt(
            source.name(), blob, "its bytes do not match its digest", null);
      }
      requireSame(upload.commit(), read, _ -> {});
    }
  }

  private void requireSame(BlobRef copy, Digest expected, LongConsumer progress)
      throws StorageException {
    boolean isSame = false;
    try {
      isSame = digest(target, copy, progress).equals(expected);
    } finally {
      if (!isSame) {
        // Or the next run would take it for copied.
        target.delete(copy);
      }
    }
    if (!isSame) {
      throw new StorageException.BlobCorrupt(
          target.name(), copy, "it does not give back what was stored; the copy is deleted", null);
    }
  }

  private static Digest digest(BlobStore store, BlobRef blob, LongConsumer progress)
      throws StorageException {
    MessageDigest digest = DigestAlgorithm.SHA_256.newMessageDigest();
    ByteBuffer buffer = ByteBuffer.allocate(BUFFER_LENGTH);
    try (RangeReader reader = store.blob(blob).open(ByteRange.whole(blob.length()))) {
      while (reader.read(buffer) >= 0) {
        progress.accept(buffer.flip().remaining());
        digest.update(buffer);
        buffer.clear();
      }
    }
    return Digest.of(DigestAlgorithm.SHA_256, digest.digest());
  }

  private static StorageException storageException(UncheckedIOException e) {
    if (e.getCause() instanceof StorageException cause) {
      return cause;
    }
    throw e;
  }

  private record Copy(BlobRef blob, Optional<Digest> sha256, boolean isPresent) {}

  /** Counts of one run; several threads add to them. */
  private static final class Run {
    private final AtomicLong copied = new AtomicLong();
    private final AtomicLong present = new AtomicLong();
    private final AtomicLong unknown = new AtomicLong();
    private final AtomicLong gone = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private final AtomicReference<@Nullable StorageException> outage = new AtomicReference<>();

    MigrationResult result() {
      return new MigrationResult(
          copied.get(), present.get(), unknown.get(), gone.get(), failed.get());
    }
  }
}
