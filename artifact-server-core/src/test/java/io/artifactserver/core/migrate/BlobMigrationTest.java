package io.artifactserver.core.migrate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStore.StoredBlob;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.InMemoryBlobStore;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.ingest.FaultyBlobStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class BlobMigrationTest {
  private final InMemoryBlobStore source = new InMemoryBlobStore();
  private final InMemoryBlobStore target = new InMemoryBlobStore();
  private final Map<String, Optional<Digest>> catalog = new HashMap<>();
  private final Recorder recorder = new Recorder();

  @Test
  void copiesEveryBlobUnderItsKeyOnce() throws Exception {
    Map<String, byte[]> stored = new HashMap<>();
    long bytes = 0;
    for (int i = 0; i < 40; i++) {
      byte[] content = content(i * 40_000, i);
      stored.put(store(content, i % 3 > 0), content);
      bytes += content.length;
    }
    assertThat(migrate().run(4, false)).isEqualTo(new MigrationResult(40, 0, 0, 0, 0));
    assertThat(recorder.plannedBlobs).isEqualTo(40);
    assertThat(recorder.plannedBytes).isEqualTo(bytes);
    assertThat(recorder.transferred).hasValue(bytes);
    assertThat(recorder.done).hasValue(40);
    stored.forEach((key, content) -> assertThat(target.bytes(key)).isEqualTo(content));
    store(content(5, 99), true);
    assertThat(migrate().run(4, false)).isEqualTo(new MigrationResult(1, 40, 0, 0, 0));
    assertThat(keys(target)).isEqualTo(keys(source));
  }

  @Test
  void leavesWhatTheCatalogDoesNotKnow() throws Exception {
    String known = store(content(10, 1), true);
    String orphan = store(content(10, 2), true);
    catalog.remove(orphan);
    assertThat(migrate().run(1, false)).isEqualTo(new MigrationResult(1, 0, 1, 0, 0));
    assertThat(keys(target)).containsExactly(known);
  }

  @Test
  void doesNotCopyADamagedBlob() throws Exception {
    String damaged = store(content(100, 3), true);
    String good = store(content(100, 4), true);
    byte[] bytes = source.bytes(damaged);
    bytes[99] ^= 1;
    source.replace(damaged, bytes);
    MigrationResult result = migrate().run(1, false);
    assertThat(result).isEqualTo(new MigrationResult(1, 0, 0, 0, 1));
    assertThat(result.isComplete()).isFalse();
    assertThat(recorder.failures).singleElement().asString().contains(damaged);
    assertThat(keys(target)).containsExactly(good);
  }

  @Test
  void findsACopyThatWasNotVerified() throws Exception {
    for (boolean isPlain : new boolean[] {true, false}) {
      String key = store(content(100, 5), isPlain);
      assertThat(migrate().run(1, false).copied()).isEqualTo(1);
      assertThat(migrate().run(1, true).failed()).isZero();
      target.replace(key, content(100, 6));
      assertThat(migrate().run(1, false).failed()).isZero();
      assertThat(migrate().run(1, true).failed()).isEqualTo(1);
      assertThat(keys(target)).doesNotContain(key);
      assertThat(migrate().run(1, true).copied()).isEqualTo(1);
      assertThat(target.bytes(key)).isEqualTo(content(100, 5));
    }
  }

  @Test
  void namesABlobOfAnotherLength() throws Exception {
    String key = store(content(100, 7), true);
    target.replace(key, content(99, 7));
    assertThat(migrate().run(1, false)).isEqualTo(new MigrationResult(0, 0, 0, 0, 1));
    assertThat(recorder.failures).singleElement().asString().contains(key, "100", "99");
  }

  @Test
  void goesOnAfterAFailureAndIsResumed() throws Exception {
    for (int i = 0; i < 20; i++) {
      store(content(1000, i), true);
    }
    FaultyBlobStore faulty = new FaultyBlobStore(target);
    faulty.failCommit(new StorageException.StorageUnavailable("memory", "reset", null));
    BlobMigration migration = new BlobMigration(source, faulty, this::known, recorder);
    assertThat(migration.run(3, false)).isEqualTo(new MigrationResult(0, 0, 0, 0, 20));
    assertThat(keys(target)).isEmpty();
    assertThat(target.openUploads()).isZero();
    faulty.recover();
    assertThat(migration.run(3, false)).isEqualTo(new MigrationResult(20, 0, 0, 0, 0));
  }

  @Test
  void anOutageEndsTheRun() throws Exception {
    for (int i = 0; i < 50; i++) {
      store(content(1000, i), true);
    }
    FaultyBlobStore faulty = new FaultyBlobStore(target);
    faulty.failCommit(new StorageException.StorageUnavailable("memory", "reset", null));
    faulty.failCheck(new StorageException.StorageUnavailable("memory", "down", null));
    assertThatExceptionOfType(StorageException.StorageUnavailable.class)
        .isThrownBy(() -> new BlobMigration(source, faulty, this::known, recorder).run(1, false))
        .withMessageContaining("down");
    assertThat(recorder.failures).hasSizeLessThan(50);
  }

  private BlobMigration migrate() {
    return new BlobMigration(source, target, this::known, recorder);
  }

  private Map<String, Optional<Digest>> known(Collection<String> keys) {
    Map<String, Optional<Digest>> known = new HashMap<>(catalog);
    known.keySet().retainAll(keys);
    return known;
  }

  private String store(byte[] content, boolean isPlain) throws IOException {
    try (BlobUpload upload = source.begin()) {
      upload.write(ByteBuffer.wrap(content));
      BlobRef ref = upload.commit();
      DigestAlgorithm sha256 = DigestAlgorithm.SHA_256;
      catalog.put(
          ref.key(),
          Optional.of(Digest.of(sha256, sha256.newMessageDigest().digest(content)))
              .filter(_ -> isPlain));
      return ref.key();
    }
  }

  private static byte[] content(int length, int seed) {
    byte[] content = new byte[length];
    new Random(seed).nextBytes(content);
    return content;
  }

  private static Set<String> keys(InMemoryBlobStore store) {
    return store.list().map(StoredBlob::ref).map(BlobRef::key).collect(Collectors.toSet());
  }

  private static final class Recorder implements MigrationObserver {
    private final AtomicLong transferred = new AtomicLong();
    private final AtomicLong done = new AtomicLong();
    private final Queue<String> failures = new ConcurrentLinkedQueue<>();
    private long plannedBlobs;
    private long plannedBytes;

    @Override
    public void planned(long blobs, long bytes) {
      plannedBlobs = blobs;
      plannedBytes = bytes;
    }

    @Override
    public void transferred(long bytes) {
      transferred.addAndGet(bytes);
    }

    @Override
    public void done() {
      done.incrementAndGet();
    }

    @Override
    public void failed(String reason) {
      failures.add(reason);
    }
  }
}
