package io.artifactserver.core.suspect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.artifactserver.core.blob.Blob;
import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.BlobStores;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.FileRegion;
import io.artifactserver.core.blob.ForwardingBlobStore;
import io.artifactserver.core.blob.InMemoryBlobStore;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.Wait;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.InMemoryArtifactCatalog;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.digest.Digests;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.core.suspect.SuspectCheck.Run;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SuspectCheckTest {
  private static final Duration PAUSE = Duration.ofMinutes(5);
  private static final int LENGTH = 200_000;

  private Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private final InMemoryBlobStore blobs = new InMemoryBlobStore();
  private final CopyingStore store = new CopyingStore(blobs);
  private final InMemoryArtifactCatalog catalog = new InMemoryArtifactCatalog(() -> now);
  private final SuspectCheck check =
      new SuspectCheck(catalog, BlobStores.of(store), PAUSE, () -> now);

  @BeforeEach
  void createRepository() {
    catalog.createRepository("edge", false, false);
  }

  @Test
  void clearsOnlyBlobsWhoseBytesAreRight() throws Exception {
    BlobRef right = put("right", 1, LENGTH);
    BlobRef empty = put("empty", 2, 0);
    BlobRef other = put("other", 3, LENGTH);
    BlobRef shorter = put("shorter", 4, LENGTH);
    BlobRef missing = put("missing", 5, LENGTH);
    BlobRef unsuspected = put("unsuspected", 6, LENGTH);
    blobs.replace(other.key(), content(7, LENGTH));
    blobs.replace(shorter.key(), content(4, LENGTH - 1));
    blobs.delete(missing);
    for (BlobRef each : List.of(right, empty, other, shorter, missing)) {
      catalog.suspect(each);
    }
    assertThat(check.run()).isEqualTo(new Run(2, 3));
    assertThat(suspects(right, empty, other, shorter, missing, unsuspected))
        .containsExactlyInAnyOrder(other.key(), shorter.key(), missing.key());
    assertThat(store.read).doesNotContain(unsuspected.key());
  }

  @Test
  void readsTheOriginalAndForgetsCopiesOnceItIsRight() throws Exception {
    BlobRef blob = put("one", 1, LENGTH);
    byte[] content = content(1, LENGTH);
    blobs.replace(blob.key(), content(2, LENGTH));
    catalog.suspect(blob);
    check.run();
    assertThat(store.forgotten).isEmpty();
    blobs.replace(blob.key(), content);
    now = now.plus(PAUSE);
    assertThat(check.run()).isEqualTo(new Run(1, 0));
    assertThat(store.forgotten).containsExactly(blob.key());
  }

  @Test
  void readsADamagedBlobLessAndLessOften() throws Exception {
    BlobRef blob = put("one", 1, LENGTH);
    blobs.replace(blob.key(), content(2, LENGTH));
    catalog.suspect(blob);
    List<Long> minutes = new ArrayList<>();
    for (int minute = 0; minute <= 24 * 60; minute++) {
      store.read.clear();
      assertThat(check.run()).isEqualTo(new Run(0, 1));
      if (!store.read.isEmpty()) {
        minutes.add((long) minute);
      }
      now = now.plus(Duration.ofMinutes(1));
    }
    assertThat(minutes).containsExactly(0L, 5L, 15L, 35L, 75L, 155L, 315L, 635L, 995L, 1355L);
  }

  @Test
  void goesOnWithOthersWhenOneCannotBeRead() throws Exception {
    BlobRef one = put("one", 1, LENGTH);
    BlobRef two = put("two", 2, LENGTH);
    catalog.suspect(one);
    catalog.suspect(two);
    String first = one.key().compareTo(two.key()) < 0 ? one.key() : two.key();
    store.unreadable.add(first);
    assertThatExceptionOfType(StorageException.StorageUnavailable.class)
        .isThrownBy(check::run)
        .withMessageContaining("planted");
    assertThat(check.run()).isEqualTo(new Run(1, 1));
    assertThat(suspects(one, two)).containsExactly(first);
    store.unreadable.clear();
    now = now.plus(PAUSE);
    assertThat(check.run()).isEqualTo(new Run(1, 0));
  }

  @Test
  void checksMoreThanAPageAndABlobThatBecomesSuspectAgain() throws Exception {
    List<BlobRef> all = new ArrayList<>();
    for (int i = 0; i < 250; i++) {
      all.add(put("a" + i, i, 10));
      catalog.suspect(all.get(i));
    }
    assertThat(check.run()).isEqualTo(new Run(250, 0));
    catalog.suspect(all.getFirst());
    assertThat(check.run()).isEqualTo(new Run(1, 0));
  }

  @Test
  void leavesDeletedArtifactsAlone() throws Exception {
    BlobRef blob = put("one", 1, LENGTH);
    catalog.suspect(blob);
    catalog.remove(new ArtifactId("edge", "one"));
    assertThat(check.run()).isEqualTo(new Run(0, 0));
    assertThat(store.read).isEmpty();
  }

  @Test
  void endsWhenTheServerStops() throws Exception {
    catalog.suspect(put("one", 1, LENGTH));
    Thread.currentThread().interrupt();
    assertThatExceptionOfType(StorageException.StorageUnavailable.class).isThrownBy(check::run);
    assertThat(Thread.interrupted()).isTrue();
  }

  private Set<String> suspects(BlobRef... refs) {
    return catalog.suspects(List.of(refs).stream().map(BlobRef::key).toList());
  }

  private BlobRef put(String path, long seed, int length) throws StorageException {
    byte[] content = content(seed, length);
    BlobRef blob;
    try (BlobUpload upload = blobs.begin()) {
      upload.write(ByteBuffer.wrap(content));
      blob = upload.commit();
    }
    Digest sha256 =
        Digest.of(
            DigestAlgorithm.SHA_256, DigestAlgorithm.SHA_256.newMessageDigest().digest(content));
    catalog.add(
        new ArtifactId("edge", path),
        "text/plain",
        blob,
        new Digests(Map.of(DigestAlgorithm.SHA_256, sha256)));
    return blob;
  }

  private static byte[] content(long seed, int length) {
    byte[] content = new byte[length];
    new Random(seed).nextBytes(content);
    return content;
  }

  /** Has copies, which nobody may take for the originals. */
  private static final class CopyingStore extends ForwardingBlobStore {
    private final BlobStore originals;
    private final List<String> forgotten = new ArrayList<>();
    private final Set<String> read = new HashSet<>();
    private final Set<String> unreadable = new HashSet<>();

    CopyingStore(BlobStore store) {
      super(store);
      originals =
          new ForwardingBlobStore(store) {
            @Override
            public Blob blob(BlobRef ref) {
              read.add(ref.key());
              Blob blob = super.blob(ref);
              return unreadable.contains(ref.key()) ? new UnreadableBlob(blob) : blob;
            }
          };
    }

    @Override
    public Blob blob(BlobRef ref) {
      throw new AssertionError("A copy is read");
    }

    @Override
    public void forgetCopies(BlobRef ref) {
      forgotten.add(ref.key());
    }

    @Override
    public BlobStore originals() {
      return originals;
    }
  }

  private record UnreadableBlob(Blob blob) implements Blob {
    @Override
    public BlobRef ref() {
      return blob.ref();
    }

    @Override
    public RangeReader open(ByteRange range) throws StorageException {
      throw new StorageException.StorageUnavailable("memory", "planted", null);
    }

    @Override
    public Wait waitToOpen() {
      return blob.waitToOpen();
    }

    @Override
    public Optional<FileRegion> fileRegion(ByteRange range) throws StorageException {
      return blob.fileRegion(range);
    }
  }
}
