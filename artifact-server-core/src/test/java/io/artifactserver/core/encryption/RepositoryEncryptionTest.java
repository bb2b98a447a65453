package io.artifactserver.core.encryption;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStore.StoredBlob;
import io.artifactserver.core.blob.BlobStores;
import io.artifactserver.core.blob.InMemoryBlobStore;
import io.artifactserver.core.blob.InMemoryDataKeyStore;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.ArtifactCatalog.EncryptionProgress;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.InMemoryArtifactCatalog;
import io.artifactserver.core.encryption.RepositoryEncryption.Run;
import io.artifactserver.core.ingest.ArtifactIngest;
import io.artifactserver.core.ingest.FaultyBlobStore;
import io.artifactserver.core.ingest.IngestRequest;
import io.artifactserver.core.ingest.Quota;
import io.artifactserver.core.limit.InMemoryQuotaStore;
import io.artifactserver.core.limit.QuotaLedger;
import io.artifactserver.core.release.InMemoryChannelStore;
import io.artifactserver.core.retire.ArtifactRetirement;
import io.artifactserver.core.retire.BlobSweeper;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@link RepositoryEncryption}, with failures where a crash may be. */
class RepositoryEncryptionTest {
  private Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private final InMemoryBlobStore plain = new InMemoryBlobStore(() -> now);
  private final InMemoryBlobStore encrypted = InMemoryBlobStore.markingEncrypted();
  private final FaultyBlobStore faulty = new FaultyBlobStore(encrypted);
  private final BlobStores stores = new BlobStores(plain, faulty);
  private final InMemoryArtifactCatalog catalog = new InMemoryArtifactCatalog(() -> now);
  private final Quota quota = new Quota(1000, 100_000, 0);
  private final ArtifactIngest ingest =
      new ArtifactIngest(
          catalog,
          catalog,
          stores,
          quota,
          new QuotaLedger(new InMemoryQuotaStore()),
          Runnable::run,
          () -> {},
          InMemoryChannelStore.book(catalog));
  private final RepositoryEncryption encryption =
      new RepositoryEncryption(catalog, catalog, stores, quota);

  @BeforeEach
  void createRepositories() {
    catalog.createRepository("edge", false, false);
    catalog.createRepository("other", false, false);
  }

  @Test
  void doesNothingUnlessARepositoryEncrypts() throws Exception {
    put("edge/a", "one");
    assertThat(encryption.run()).isEqualTo(new Run(0, 0));
    assertThat(blobs(encrypted)).isEmpty();
  }

  @Test
  void encryptsWhatIsThereAndCopiesWhatIsShared() throws Exception {
    for (int i = 0; i < 250; i++) {
      put("edge/a" + i, "content " + i);
    }
    put("edge/again", "content 7");
    BlobRef shared = put("other/a", "content 7").blob();
    catalog.encryptRepository("edge");
    assertThat(catalog.encryptionProgress("edge")).isEqualTo(new EncryptionProgress(251, 0));
    assertThat(encryption.run()).isEqualTo(new Run(250, 0));
    assertThat(catalog.encryptionProgress("edge")).isEqualTo(new EncryptionProgress(251, 251));
    assertThat(find("edge/a7").blob()).isEqualTo(find("edge/again").blob());
    assertThat(find("other/a").blob()).isEqualTo(shared);
    assertThat(bytes(find("edge/a7").blob())).isEqualTo("content 7");
    assertThat(encryption.run()).isEqualTo(new Run(0, 0));
    long both = quota.used();
    now = now.plus(Duration.ofDays(1));
    new ArtifactRetirement(
            catalog,
            catalog,
            stores,
            quota,
            InMemoryChannelStore.book(catalog, () -> now),
            Duration.ofMinutes(1),
            () -> now)
        .deleteExpired();
    assertThat(blobs(plain)).containsExactly(shared);
    assertThat(quota.used()).isLessThan(both).isEqualTo(catalog.storedBytes());
    assertThat(put("edge/new", "content new").blob().encrypted()).isTrue();
  }

  @Test
  void goesOnWhereItWasKilled() throws Exception {
    for (int i = 0; i < 10; i++) {
      put("edge/a" + i, "content " + i);
    }
    catalog.encryptRepository("edge");
    faulty.failCommit(new StorageException.StorageUnavailable("memory", "killed", null));
    assertThatExceptionOfType(StorageException.StorageUnavailable.class)
        .isThrownBy(encryption::run);
    assertThat(catalog.encryptionProgress("edge")).isEqualTo(new EncryptionProgress(10, 0));
    faulty.recover();
    // Killed between the commit of a copy and its row: the copy is nobody's, and swept.
    encrypted.begin().close();
    try (var orphan = encrypted.begin()) {
      orphan.commit();
    }
    assertThat(encryption.run()).isEqualTo(new Run(10, 0));
    assertThat(blobs(encrypted)).hasSize(11);
    new BlobSweeper(
            catalog, encrypted, new InMemoryDataKeyStore(), Duration.ZERO, () -> now, Set::of)
        .sweepAtStart(Instant.MAX);
    assertThat(blobs(encrypted)).hasSize(10);
    for (int i = 0; i < 10; i++) {
      assertThat(bytes(find("edge/a" + i).blob())).isEqualTo("content " + i);
    }
  }

  @Test
  void leavesADamagedBlobAndMarksIt() throws Exception {
    BlobRef damaged = put("edge/a", "one").blob();
    put("edge/b", "two");
    plain.replace(damaged.key(), "onE".getBytes(StandardCharsets.US_ASCII));
    catalog.encryptRepository("edge");
    assertThat(encryption.run()).isEqualTo(new Run(1, 1));
    assertThat(find("edge/a").blob()).isEqualTo(damaged);
    assertThat(find("edge/b").blob().encrypted()).isTrue();
    assertThat(catalog.suspects(List.of(damaged.key()))).containsExactly(damaged.key());
    assertThat(encrypted.openUploads()).isZero();

    // The next runs leave it alone: nothing of it is written again.
    faulty.failWriteAt(0, new StorageException.StorageUnavailable("memory", "written", null));
    assertThat(encryption.run()).isEqualTo(new Run(0, 1));

    faulty.recover();
    plain.replace(damaged.key(), "one".getBytes(StandardCharsets.US_ASCII));
    catalog.clear(damaged);
    assertThat(encryption.run()).isEqualTo(new Run(1, 0));
    assertThat(bytes(find("edge/a").blob())).isEqualTo("one");
  }

  /** Right bytes are not given up for an encrypted blob that is known to be damaged. */
  @Test
  void replacesEncryptedBlobThatIsDamaged() throws Exception {
    catalog.createRepository("vault", false, true);
    BlobRef damaged = put("vault/a", "one").blob();
    put("edge/a", "one");
    catalog.encryptRepository("edge");
    catalog.suspect(damaged);
    encrypted.delete(damaged);
    assertThat(encryption.run()).isEqualTo(new Run(1, 0));
    assertThat(bytes(find("edge/a").blob())).isEqualTo("one");
    assertThat(find("vault/a").blob()).isEqualTo(find("edge/a").blob());
    assertThat(catalog.suspectCount()).isZero();
  }

  @Test
  void sharesWhatCameForAnotherArtifactInPlaceOfDamage() throws Exception {
    BlobRef damaged = put("edge/a", "one").blob();
    catalog.encryptRepository("edge");
    plain.delete(damaged);
    assertThat(encryption.run()).isEqualTo(new Run(0, 1));
    put("edge/b", "one");
    assertThat(encryption.run()).isEqualTo(new Run(1, 0));
    assertThat(bytes(find("edge/a").blob())).isEqualTo("one");
  }

  private Artifact put(String id, String content) throws Exception {
    int slash = id.indexOf('/');
    return ingest
        .ingest(
            new IngestRequest(
                new ArtifactId(id.substring(0, slash), id.substring(slash + 1)),
                "text/plain",
                IngestRequest.UNKNOWN_LENGTH,
                List.of()),
            new ByteArrayInputStream(content.getBytes(StandardCharsets.US_ASCII)))
        .artifact();
  }

  private Artifact find(String id) {
    int slash = id.indexOf('/');
    return catalog
        .find(new ArtifactId(id.substring(0, slash), id.substring(slash + 1)))
        .orElseThrow();
  }

  private String bytes(BlobRef ref) {
    return new String(
        (ref.encrypted() ? encrypted : plain).bytes(ref.key()), StandardCharsets.US_ASCII);
  }

  private static Set<BlobRef> blobs(InMemoryBlobStore store) {
    try (Stream<StoredBlob> blobs = store.list()) {
      return blobs.map(StoredBlob::ref).collect(Collectors.toSet());
    }
  }
}
