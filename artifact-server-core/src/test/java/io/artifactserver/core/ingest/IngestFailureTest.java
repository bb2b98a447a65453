package io.artifactserver.core.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStores;
import io.artifactserver.core.blob.InMemoryDataKeyStore;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.CatalogUnavailableException;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.limit.InMemoryQuotaStore;
import io.artifactserver.core.limit.QuotaLedger;
import io.artifactserver.core.release.InMemoryChannelStore;
import io.artifactserver.core.retire.BlobSweeper;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Senders, stores and catalogs that fail, and races. */
class IngestFailureTest extends IngestFixture {
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

  /** The path is free, taken, or taken by bytes that were lost. */
  @Test
  void checksADigestThatComesBehindTheBytes() throws Exception {
    byte[] content = content(1000, 6);
    Digest right = digest(DigestAlgorithm.SHA_256, content);
    Digest wrong = digest(DigestAlgorithm.SHA_256, content(1000, 7));
    assertThatExceptionOfType(IngestException.DigestMismatch.class)
        .isThrownBy(() -> putForm(content, wrong))
        .withMessageContaining(right.toString());
    assertNothingIsKept();
    IngestResult created = putForm(content, right);
    assertThat(created).isInstanceOf(IngestResult.Created.class);
    assertThat(created.artifact().mediaType()).isEqualTo("a/b");
    assertThatExceptionOfType(IngestException.DigestMismatch.class)
        .isThrownBy(() -> putForm(content, wrong));
    assertThat(putForm(content, right)).isInstanceOf(IngestResult.AlreadyPresent.class);
    rows.suspect(created.artifact().blob());
    assertThatExceptionOfType(IngestException.DigestMismatch.class)
        .isThrownBy(() -> putForm(content, wrong));
    assertThat(blobs()).containsExactly(created.artifact().blob());
    assertThat(putForm(content, right)).isInstanceOf(IngestResult.AlreadyPresent.class);
  }

  /** Its description is asked for when the bytes have come, and not before. */
  private IngestResult putForm(byte[] content, Digest behind)
      throws IngestException, StorageException {
    ByteArrayInputStream source = new ByteArrayInputStream(content);
    IngestRequest request = request("edge/firmware", IngestRequest.UNKNOWN_LENGTH, List.of());
    return ingest.ingest(
        new IncomingArtifact(
            request,
            source,
            () -> {
              assertThat(source.available()).isZero();
              return new IngestRequest(
                  request.id(), "a/b", IngestRequest.UNKNOWN_LENGTH, List.of(behind));
            }));
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
  @ValueSource(ints = {0, 1, Reading.BUFFER_LENGTH, Reading.BUFFER_LENGTH * 2 + 1})
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
        .withMessageContaining(
            length == 0
                ? "broke off before its first byte: connection reset"
                : "broke off after %,d bytes: connection reset".formatted(length))
        .withCauseInstanceOf(IOException.class);
    assertNothingIsKept();
  }

  @Test
  void keepsNothingWhenTheStoreFails() throws Exception {
    byte[] content = content(3 * Reading.BUFFER_LENGTH, 11);
    StorageException full = new StorageException.StorageFull("memory", "no room", null);
    store.failWriteAt(Reading.BUFFER_LENGTH, full);
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
            rows,
            store,
            new InMemoryDataKeyStore(),
            Duration.ofHours(1),
            InstantSource.system(),
            Set::of);
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
            rows,
            memory,
            new InMemoryDataKeyStore(),
            Duration.ZERO,
            InstantSource.system(),
            Set::of);
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
            () -> {},
            InMemoryChannelStore.book(rows));
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
}
