package io.artifactserver.core.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.BlobStore.StoredBlob;
import io.artifactserver.core.blob.BlobStores;
import io.artifactserver.core.blob.InMemoryBlobStore;
import io.artifactserver.core.blob.InMemoryDataKeyStore;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.CatalogUnavailableException;
import io.artifactserver.core.catalog.FaultyArtifactCatalog;
import io.artifactserver.core.catalog.InMemoryArtifactCatalog;
import io.artifactserver.core.catalog.PathPolicy;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.limit.InMemoryQuotaStore;
import io.artifactserver.core.limit.QuotaLedger;
import io.artifactserver.core.limit.RepositoryQuota;
import io.artifactserver.core.limit.RepositoryUsage;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.core.retire.BlobSweeper;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ForkJoinPool;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ArtifactIngestTest {
  private static final long MAX_LENGTH = 4L << 20;
  private static final long MAX_TOTAL = 10L << 20;

  private final InMemoryBlobStore memory = new InMemoryBlobStore();
  private final InMemoryBlobStore encrypted = InMemoryBlobStore.markingEncrypted();
  private final FaultyBlobStore store = new FaultyBlobStore(memory);
  private final InMemoryArtifactCatalog rows = new InMemoryArtifactCatalog();
  private final FaultyArtifactCatalog catalog = new FaultyArtifactCatalog(rows);
  private final Quota quota = new Quota(MAX_LENGTH, MAX_TOTAL, 0);
  private final QuotaLedger ledger = new QuotaLedger(new InMemoryQuotaStore(rows));
  private final ArtifactIngest ingest =
      new ArtifactIngest(
          catalog,
          rows,
          BlobStores.of(store, encrypted),
          quota,
          ledger,
          ForkJoinPool.commonPool(),
          () -> {});

  @BeforeEach
  void createRepositories() {
    catalog.createRepository("edge", false, false);
    catalog.createRepository("core", false, false);
    catalog.createRepository("vault", false, true);
  }

  @ParameterizedTest
  @ValueSource(
      ints = {
        0,
        1,
        ArtifactIngest.BUFFER_LENGTH - 1,
        ArtifactIngest.BUFFER_LENGTH,
        ArtifactIngest.BUFFER_LENGTH + 1,
        3 * ArtifactIngest.BUFFER_LENGTH + 17
      })
  void createsAnArtifactOfEveryLength(int length) throws Exception {
    byte[] content = content(length, 1);
    IngestResult result = put("edge/firmware", content);
    assertThat(result).isInstanceOf(IngestResult.Created.class);
    Artifact artifact = result.artifact();
    assertThat(artifact.length()).isEqualTo(length);
    assertThat(artifact.mediaType()).isEqualTo("application/octet-stream");
    for (DigestAlgorithm algorithm : DigestAlgorithm.values()) {
      assertThat(artifact.digests().get(algorithm)).contains(digest(algorithm, content));
    }
    assertThat(stored(artifact)).isEqualTo(content);
    assertThat(catalog.find(artifact.id())).contains(artifact);
    assertThat(quota.used()).isEqualTo(length);
    assertThat(memory.openUploads()).isZero();
  }

  @Test
  void theSameBytesAgainAreAlreadyPresent() throws Exception {
    byte[] content = content(1000, 2);
    Artifact first = put("edge/firmware", content).artifact();
    IngestResult again = put("edge/firmware", content);
    assertThat(again).isEqualTo(new IngestResult.AlreadyPresent(first));
    assertThat(blobs()).containsExactly(first.blob());
    assertThat(quota.used()).isEqualTo(1000);
  }

  @Test
  void otherBytesFindThePathTaken() throws Exception {
    byte[] content = content(1000, 3);
    Artifact first = put("edge/firmware", content).artifact();
    byte[] other = content(1000, 4);
    assertThatExceptionOfType(IngestException.PathTaken.class)
        .isThrownBy(() -> put("edge/firmware", other))
        .withMessageContaining("edge/firmware")
        .withMessageContaining(digest(DigestAlgorithm.SHA_256, other).hex());
    assertThatExceptionOfType(IngestException.PathTaken.class)
        .isThrownBy(() ->
            ingest.ingest(
                request("edge/firmware", -1, List.of(digest(DigestAlgorithm.MD5, other))),
                new ByteArrayInputStream(other)));
    assertThat(stored(first)).isEqualTo(content);
    assertThat(blobs()).containsExactly(first.blob());
  }

  @Test
  void otherBytesFindThePathUsedAndTheSameBytesAreCreatedAgain() throws Exception {
    byte[] content = content(1000, 3);
    byte[] other = content(1000, 4);
    Artifact first = put("edge/firmware", content).artifact();
    rows.remove(first.id());
    assertThatExceptionOfType(IngestException.PathUsed.class)
        .isThrownBy(() -> put("edge/firmware", other))
        .withMessageContaining("edge/firmware")
        .withMessageContaining(digest(DigestAlgorithm.SHA_256, content).hex())
        .withMessageContaining(digest(DigestAlgorithm.SHA_256, other).hex());
    // An announced digest is compared before the body is read.
    ByteArrayInputStream unread = new ByteArrayInputStream(other);
    assertThatExceptionOfType(IngestException.PathUsed.class)
        .isThrownBy(() ->
            ingest.ingest(
                request("edge/firmware", -1, List.of(digest(DigestAlgorithm.SHA_256, other))),
                unread));
    assertThat(unread.available()).isEqualTo(other.length);
    assertThat(blobs()).containsExactly(first.blob());
    assertThat(quota.used()).isEqualTo(1000);
    // Bytes that another path has are no way around.
    put("edge/elsewhere", other);
    assertThatExceptionOfType(IngestException.PathUsed.class)
        .isThrownBy(() -> put("edge/firmware", other));

    IngestResult again =
        ingest.ingest(
            request("edge/firmware", -1, List.of(digest(DigestAlgorithm.SHA_256, content))),
            new ByteArrayInputStream(content));
    assertThat(again).isInstanceOf(IngestResult.Created.class);
    assertThat(stored(again.artifact())).isEqualTo(content);
  }

  @Test
  void aMutableRepositoryTakesOtherBytesAfterADeletion() throws Exception {
    catalog.createRepository("nightly", false, false, new PathPolicy(true, Duration.ZERO));
    byte[] other = content(1000, 4);
    Artifact first = put("nightly/firmware", content(1000, 3)).artifact();
    assertThatExceptionOfType(IngestException.PathTaken.class)
        .isThrownBy(() -> put("nightly/firmware", other));
    rows.remove(first.id());
    IngestResult second =
        ingest.ingest(
            request("nightly/firmware", -1, List.of(digest(DigestAlgorithm.SHA_256, other))),
            new ByteArrayInputStream(other));
    assertThat(second).isInstanceOf(IngestResult.Created.class);
    assertThat(stored(second.artifact())).isEqualTo(other);
  }

  @Test
  void bytesThatWereDeletedWhileTheyCameInAgainAreSharedWhileTheirBlobIsThere() throws Exception {
    byte[] content = content(1000, 2);
    Artifact first = put("edge/firmware", content).artifact();
    catalog.beforeShare(() -> rows.remove(first.id()));
    IngestResult again = put("edge/firmware", content);
    assertThat(again).isInstanceOf(IngestResult.Created.class);
    assertThat(catalog.find(first.id())).contains(again.artifact());
    assertThat(stored(again.artifact())).isEqualTo(content);
  }

  @Test
  void nobodySaysPresentOfBytesThatAreGone() throws Exception {
    byte[] content = content(1000, 2);
    Artifact first = put("edge/firmware", content).artifact();
    catalog.findNothingShareable();
    catalog.beforeShare(() -> rows.remove(first.id()));
    assertThatExceptionOfType(IngestException.DeletedMeanwhile.class)
        .isThrownBy(() -> put("edge/firmware", content))
        .withMessageContaining("edge/firmware");
  }

  @Test
  void sharesABlobAcrossRepositoriesButNotAcrossEncryption() throws Exception {
    byte[] content = content(1000, 5);
    BlobRef edge = put("edge/firmware", content).artifact().blob();
    IngestResult core = put("core/other/name", content);
    assertThat(core).isInstanceOf(IngestResult.Created.class);
    assertThat(core.artifact().blob()).isEqualTo(edge);
    assertThat(quota.used()).isEqualTo(1000);
    BlobRef vault = put("vault/firmware", content).artifact().blob();
    assertThat(vault).isNotEqualTo(edge);
    assertThat(vault.encrypted()).isTrue();
    assertThat(blobs()).containsExactly(edge);
    try (Stream<StoredBlob> blobs = encrypted.list()) {
      assertThat(blobs.map(StoredBlob::ref)).containsExactly(vault);
    }
    assertThat(quota.used()).isEqualTo(2000);
  }

  @ParameterizedTest
  @EnumSource
  void checksTheAnnouncedDigest(DigestAlgorithm algorithm) throws Exception {
    byte[] content = content(1000, 6);
    Digest right = digest(algorithm, content);
    Digest wrong = digest(algorithm, content(1000, 7));
    assertThatExceptionOfType(IngestException.DigestMismatch.class)
        .isThrownBy(() ->
            ingest.ingest(
                request("edge/firmware", -1, List.of(wrong)), new ByteArrayInputStream(content)))
        .withMessageContaining(wrong.toString())
        .withMessageContaining(right.toString());
    assertNothingIsKept();
    assertThat(
            ingest.ingest(
                request("edge/firmware", -1, List.of(right)), new ByteArrayInputStream(content)))
        .isInstanceOf(IngestResult.Created.class);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 999, 1001, 1_000_000})
  void checksTheAnnouncedLength(long declared) {
    assertThatExceptionOfType(IngestException.LengthMismatch.class)
        .isThrownBy(() ->
            ingest.ingest(
                request("edge/firmware", declared, List.of()),
                new ByteArrayInputStream(content(1000, 8))))
        .withMessageContaining("1000")
        .withMessageContaining(Long.toString(declared));
    assertNothingIsKept();
  }

  @Test
  void refusesAnUnknownRepository() {
    assertThatExceptionOfType(IngestException.RepositoryNotFound.class)
        .isThrownBy(() -> put("nowhere/firmware", content(10, 9)));
    assertNothingIsKept();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, ArtifactIngest.BUFFER_LENGTH, ArtifactIngest.BUFFER_LENGTH * 2 + 1})
  void keepsNothingWhenTheSenderGoesAway(int length) {
    InputStream breaking =
        new FilterInputStream(new ByteArrayInputStream(content(length, 10))) {
          @Override
          public int read(byte[] target, int offset, int count) throws IOException {
            int n = super.read(target, offset, count);
            if (n < 0) {
              throw new IOException("connection reset");
            }
            return n;
          }
        };
    assertThatExceptionOfType(IngestException.SourceFailed.class)
        .isThrownBy(() -> ingest.ingest(request("edge/firmware", 5_000, List.of()), breaking))
        .withMessageContaining("connection reset")
        .withCauseInstanceOf(IOException.class);
    assertNothingIsKept();
  }

  @Test
  void keepsNothingWhenTheStoreFails() throws Exception {
    byte[] content = content(3 * ArtifactIngest.BUFFER_LENGTH, 11);
    StorageException full = new StorageException.StorageFull("memory", "no room", null);
    store.failWriteAt(ArtifactIngest.BUFFER_LENGTH, full);
    assertThatExceptionOfType(StorageException.StorageFull.class)
        .isThrownBy(() -> put("edge/firmware", content))
        .isSameAs(full);
    assertNothingIsKept();
    store.recover();
    StorageException gone = new StorageException.StorageUnavailable("memory", "gone", null);
    store.failCommit(gone);
    assertThatExceptionOfType(StorageException.StorageUnavailable.class)
        .isThrownBy(() -> put("edge/firmware", content))
        .isSameAs(gone);
    assertNothingIsKept();
    store.recover();
    assertThat(put("edge/firmware", content)).isInstanceOf(IngestResult.Created.class);
  }

  @Test
  void leavesAnOrphanWhenTheCatalogFailsAfterTheCommit() throws Exception {
    catalog.beforeAdd(() -> {
      throw new CatalogUnavailableException("down", new IOException("refused"));
    });
    assertThatExceptionOfType(CatalogUnavailableException.class)
        .isThrownBy(() -> put("edge/firmware", content(1000, 12)));
    assertThat(blobs()).hasSize(1);
    assertThat(rows.storedBytes()).isZero();
    assertThat(quota.used()).isZero();
    BlobSweeper sweeper =
        new BlobSweeper(
            rows, store, new InMemoryDataKeyStore(), Duration.ofHours(1), InstantSource.system());
    assertThat(sweeper.sweep().orphans()).isZero();
    assertThat(sweeper.sweepAtStart(Instant.now().plusSeconds(1)).orphans()).isEqualTo(1);
    assertThat(blobs()).isEmpty();
  }

  @Test
  void theLoserOfARaceForTheSameBytesSharesTheWinnersBlob() throws Exception {
    byte[] content = content(1000, 13);
    BlobRef winner = put("core/firmware", content).artifact().blob();
    catalog.findNothingShareable();
    IngestResult result = put("edge/firmware", content);
    assertThat(result).isInstanceOf(IngestResult.Created.class);
    assertThat(result.artifact().blob()).isEqualTo(winner);
    assertThat(blobs()).containsExactly(winner);
    assertThat(quota.used()).isEqualTo(1000);
  }

  @Test
  void anArtifactIsCreatedEvenIfTheBlobItDidNotTakeCannotBeDeleted() throws Exception {
    byte[] content = content(1000, 14);
    BlobRef winner = put("core/firmware", content).artifact().blob();
    catalog.findNothingShareable();
    store.failDelete(new StorageException.StorageUnavailable("memory", "gone", null));
    assertThat(put("edge/firmware", content).artifact().blob()).isEqualTo(winner);
    assertThat(blobs()).hasSize(2).contains(winner);
    BlobSweeper sweeper =
        new BlobSweeper(
            rows, memory, new InMemoryDataKeyStore(), Duration.ZERO, InstantSource.system());
    assertThat(sweeper.sweepAtStart(Instant.now().plusSeconds(1)).orphans()).isEqualTo(1);
    assertThat(blobs()).containsExactly(winner);
  }

  @Test
  void theLoserOfARaceForAPathIsToldWhoseBytesAreThere() throws Exception {
    byte[] content = content(1000, 15);
    byte[] other = content(1000, 16);
    ArtifactIngest rival =
        new ArtifactIngest(
            rows,
            rows,
            BlobStores.of(memory),
            quota,
            new QuotaLedger(new InMemoryQuotaStore()),
            Runnable::run,
            () -> {});
    catalog.beforeAdd(() -> {
      try {
        rival.ingest(request("edge/firmware", -1, List.of()), new ByteArrayInputStream(content));
      } catch (IngestException | StorageException e) {
        throw new AssertionError(e);
      }
    });
    assertThatExceptionOfType(IngestException.PathTaken.class)
        .isThrownBy(() -> put("edge/firmware", other));
    assertThat(blobs()).hasSize(1);
    assertThat(quota.used()).isEqualTo(1000);
  }

  @Test
  void keepsNothingWhenTheCatalogFailsBeforeTheCommit() throws Exception {
    catalog.beforeShare(() -> {
      throw new CatalogUnavailableException("down", new IOException("refused"));
    });
    assertThatExceptionOfType(CatalogUnavailableException.class)
        .isThrownBy(() -> put("edge/firmware", content(1000, 12)));
    assertNothingIsKept();
  }

  @Test
  void storesItsOwnBytesWhenTheBlobToShareIsSweptMeanwhile() throws Exception {
    byte[] content = content(1000, 17);
    Artifact old = put("core/firmware", content).artifact();
    catalog.remove(old.id());
    catalog.beforeShare(() -> {
      assertThat(rows.forget(old.blob(), Instant.MAX)).isTrue();
      quota.release(old.length());
      memory.delete(old.blob());
    });
    Artifact artifact = put("edge/firmware", content).artifact();
    assertThat(artifact.blob()).isNotEqualTo(old.blob());
    assertThat(stored(artifact)).isEqualTo(content);
    assertThat(blobs()).containsExactly(artifact.blob());
    assertThat(quota.used()).isEqualTo(1000);
  }

  @Test
  void takesUpARetiredBlobAgain() throws Exception {
    byte[] content = content(1000, 18);
    Artifact old = put("core/firmware", content).artifact();
    catalog.remove(old.id());
    assertThat(put("edge/firmware", content).artifact().blob()).isEqualTo(old.blob());
    assertThat(rows.forget(old.blob(), Instant.MAX)).isFalse();
    assertThat(rows.retiredBefore(Instant.MAX, 10)).isEmpty();
  }

  /** Everybody who has the bytes has them again. */
  @ParameterizedTest
  @CsvSource({"edge, true", "edge, false", "vault, true", "vault, false"})
  void uploadRestoresBytesThatWereLost(String repository, boolean isKnown) throws Exception {
    byte[] content = content(1000, 31);
    Artifact artifact = put(repository + "/firmware", content).artifact();
    Artifact sharing = put(repository + "/same", content).artifact();
    lose(artifact.blob(), isKnown);
    IngestResult result = put(repository + "/new", content);
    assertThat(result).isInstanceOf(IngestResult.Created.class);
    assertRestored(content, artifact, sharing, result.artifact());
  }

  @ParameterizedTest
  @CsvSource({"edge, true", "edge, false", "vault, true", "vault, false"})
  void sameBytesForSamePathRestoreThem(String repository, boolean isKnown) throws Exception {
    byte[] content = content(1000, 32);
    Artifact artifact = put(repository + "/firmware", content).artifact();
    Artifact sharing = put(repository + "/same", content).artifact();
    ledger.put(repository, new RepositoryQuota(2000, 2));
    lose(artifact.blob(), isKnown);
    IngestResult result = put(repository + "/firmware", content);
    assertThat(result).isInstanceOf(IngestResult.AlreadyPresent.class);
    assertRestored(content, artifact, sharing, result.artifact());
  }

  @Test
  void bytesThatWereDeletedAndLostAreStoredAgain() throws Exception {
    byte[] content = content(1000, 33);
    Artifact artifact = put("edge/firmware", content).artifact();
    catalog.remove(artifact.id());
    lose(artifact.blob(), false);
    assertRestored(content, put("edge/firmware", content).artifact());
    assertThat(rows.retiredBefore(Instant.MAX, 1)).isEmpty();
  }

  @Test
  void otherBytesRestoreNothing() throws Exception {
    byte[] content = content(1000, 34);
    Artifact artifact = put("edge/firmware", content).artifact();
    lose(artifact.blob(), true);
    assertThatExceptionOfType(IngestException.PathTaken.class)
        .isThrownBy(() -> put("edge/firmware", content(1000, 35)));
    assertThat(rows.suspects(Set.of(artifact.blob().key()))).isNotEmpty();
    assertThat(blobs()).containsExactly(artifact.blob());
    assertThat(quota.used()).isEqualTo(1000);
  }

  /** The repository encrypts, and the blob that was lost is still plain. */
  @Test
  void bytesThatWereLostBeforeTheirEncryptionAreStoredEncrypted() throws Exception {
    byte[] content = content(1000, 36);
    Artifact artifact = put("edge/firmware", content).artifact();
    catalog.encryptRepository("edge");
    lose(artifact.blob(), true);
    Artifact restored = put("edge/firmware", content).artifact();
    assertThat(restored.blob().encrypted()).isTrue();
    assertThat(stored(restored)).isEqualTo(content);
  }

  @Test
  void oneUploadRestoresPlainAndEncryptedBytes() throws Exception {
    byte[] content = content(1000, 37);
    Artifact plain = put("edge/firmware", content).artifact();
    Artifact secret = put("vault/firmware", content).artifact();
    catalog.encryptRepository("edge");
    lose(plain.blob(), true);
    lose(secret.blob(), true);
    Artifact restored = put("edge/firmware", content).artifact();
    assertThat(stored(restored)).isEqualTo(content);
    assertThat(catalog.find(secret.id()).orElseThrow().blob()).isEqualTo(restored.blob());
  }

  @Test
  void refusesWhatTheQuotaDoesNotHoldBeforeTheFirstByte() throws IOException {
    // A closed stream fails when it is read.
    InputStream untouched = InputStream.nullInputStream();
    untouched.close();
    assertThatExceptionOfType(IngestException.TooLarge.class)
        .isThrownBy(
            () -> ingest.ingest(request("edge/firmware", MAX_LENGTH + 1, List.of()), untouched));
    quotaIsNearlyUsedUp();
    assertThatExceptionOfType(IngestException.QuotaExceeded.class)
        .isThrownBy(
            () -> ingest.ingest(request("edge/firmware", MAX_LENGTH, List.of()), untouched));
    assertThat(blobs()).isEmpty();
  }

  @Test
  void refusesWhatTheQuotaDoesNotHoldMidBody() {
    assertThatExceptionOfType(IngestException.TooLarge.class)
        .isThrownBy(() -> put("edge/firmware", content((int) MAX_LENGTH + 1, 19)));
    assertNothingIsKept();
    long used = quotaIsNearlyUsedUp();
    assertThatExceptionOfType(IngestException.QuotaExceeded.class)
        .isThrownBy(() -> put("edge/firmware", content((int) MAX_LENGTH, 20)));
    assertThat(blobs()).isEmpty();
    assertThat(memory.openUploads()).isZero();
    assertThat(quota.used()).isEqualTo(used);
  }

  @Test
  void aFullRepositoryTakesNothingInAndAnotherDoes() throws Exception {
    InputStream untouched = InputStream.nullInputStream();
    untouched.close();
    ledger.put("edge", new RepositoryQuota(1000, 1));
    assertThatExceptionOfType(IngestException.RepositoryFull.class)
        .isThrownBy(() -> ingest.ingest(request("edge/firmware", 1001, List.of()), untouched))
        .withMessageContaining("edge");
    // The length is not announced.
    assertThatExceptionOfType(IngestException.RepositoryFull.class)
        .isThrownBy(() -> put("edge/firmware", content(1001, 21)));
    assertNothingIsKept();
    put("edge/firmware", content(1000, 22));
    assertThatExceptionOfType(IngestException.RepositoryFull.class)
        .isThrownBy(() -> put("edge/other", content(0, 23)));
    put("core/other", content(1001, 24));
    // It is there, so it takes no room.
    assertThat(put("edge/firmware", content(1000, 22)))
        .isInstanceOf(IngestResult.AlreadyPresent.class);
    assertThat(ledger.standing("edge").reserved()).isEqualTo(RepositoryUsage.EMPTY);
  }

  @Test
  void pathThatIsFreedWhileItsBytesComeAgainNeedsRoom() throws Exception {
    ledger.put("edge", new RepositoryQuota(10_000, 2));
    byte[] content = content(1000, 25);
    Artifact first = put("edge/firmware", content).artifact();
    put("edge/other", content(10, 26));
    InputStream again =
        new ByteArrayInputStream(content) {
          @Override
          public synchronized int read(byte[] bytes, int offset, int length) {
            int read = super.read(bytes, offset, length);
            if (read < 0 && rows.remove(first.id()).isPresent()) {
              try {
                put("edge/third", content(10, 27));
              } catch (IngestException | StorageException e) {
                throw new IllegalStateException(e);
              }
            }
            return read;
          }
        };
    assertThatExceptionOfType(IngestException.RepositoryFull.class)
        .isThrownBy(
            () -> ingest.ingest(request("edge/firmware", content.length, List.of()), again));
    assertThat(rows.find(first.id())).isEmpty();
    assertThat(ledger.standing("edge").reserved()).isEqualTo(RepositoryUsage.EMPTY);
  }

  private long quotaIsNearlyUsedUp() {
    try (Quota.Reservation one = quota.reserve(MAX_LENGTH);
        Quota.Reservation two = quota.reserve(MAX_LENGTH)) {
      one.keep();
      two.keep();
    } catch (IngestException e) {
      throw new AssertionError(e);
    }
    return quota.used();
  }

  private void assertNothingIsKept() {
    assertThat(blobs()).isEmpty();
    assertThat(memory.openUploads()).isZero();
    assertThat(quota.used()).isZero();
    assertThat(catalog.find(id("edge/firmware"))).isEmpty();
    assertThat(rows.storedBytes()).isZero();
  }

  private Set<BlobRef> blobs() {
    try (Stream<StoredBlob> blobs = memory.list()) {
      return blobs.map(StoredBlob::ref).collect(Collectors.toSet());
    }
  }

  private IngestResult put(String id, byte[] content) throws IngestException, StorageException {
    return ingest.ingest(
        request(id, IngestRequest.UNKNOWN_LENGTH, List.of()), new ByteArrayInputStream(content));
  }

  private byte[] stored(Artifact artifact) throws StorageException {
    ByteBuffer bytes = ByteBuffer.allocate((int) artifact.length() + 1);
    BlobStore holder = artifact.blob().encrypted() ? encrypted : store;
    try (RangeReader reader =
        holder.blob(artifact.blob()).open(ByteRange.whole(artifact.length()))) {
      int n = 0;
      while (n >= 0) {
        n = reader.read(bytes);
      }
    }
    return Arrays.copyOf(bytes.array(), bytes.position());
  }

  private static IngestRequest request(String id, long declaredLength, List<Digest> expected) {
    return new IngestRequest(id(id), "application/octet-stream", declaredLength, expected);
  }

  private static ArtifactId id(String text) {
    int slash = text.indexOf('/');
    return new ArtifactId(text.substring(0, slash), text.substring(slash + 1));
  }

  private static Digest digest(DigestAlgorithm algorithm, byte[] content) {
    return Digest.of(algorithm, algorithm.newMessageDigest().digest(content));
  }

  private void lose(BlobRef blob, boolean isKnown) {
    if (isKnown) {
      rows.suspect(blob);
    } else {
      (blob.encrypted() ? encrypted : memory).delete(blob);
    }
  }

  private void assertRestored(byte[] content, Artifact... artifacts) throws Exception {
    Set<BlobRef> used = new HashSet<>();
    for (Artifact each : artifacts) {
      Artifact current = catalog.find(each.id()).orElseThrow();
      assertThat(stored(current)).isEqualTo(content);
      used.add(current.blob());
    }
    assertThat(used).hasSize(1);
    assertThat(rows.suspectCount()).isZero();
    assertThat(quota.used()).isEqualTo(1000);
    assertThat(memory.openUploads() + encrypted.openUploads()).isZero();
  }

  private static byte[] content(int length, long seed) {
    byte[] content = new byte[length];
    new Random(seed).nextBytes(content);
    return content;
  }
}
