package io.artifactserver.core.retire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStore.StoredBlob;
import io.artifactserver.core.blob.BlobStores;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.InMemoryBlobStore;
import io.artifactserver.core.blob.InMemoryDataKeyStore;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.ArtifactCatalog.Removal;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.InMemoryArtifactCatalog;
import io.artifactserver.core.ingest.ArtifactIngest;
import io.artifactserver.core.ingest.FaultyBlobStore;
import io.artifactserver.core.ingest.IngestRequest;
import io.artifactserver.core.ingest.Quota;
import io.artifactserver.core.limit.InMemoryQuotaStore;
import io.artifactserver.core.limit.QuotaLedger;
import io.artifactserver.core.release.Channel;
import io.artifactserver.core.release.ChannelBook;
import io.artifactserver.core.release.InMemoryChannelStore;
import io.artifactserver.core.release.ReleaseException;
import io.artifactserver.core.release.Rollout;
import java.io.ByteArrayInputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@link ArtifactRetirement} and {@link BlobSweeper}, by a clock that the tests move. */
class RetirementTest {
  private static final Duration GRACE = Duration.ofMinutes(10);
  private static final Duration MINIMUM_AGE = Duration.ofHours(24);

  private Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private final InMemoryBlobStore memory = new InMemoryBlobStore(() -> now);
  private final FaultyBlobStore store = new FaultyBlobStore(memory);
  private Act beforeForgetting = () -> {};
  private final InMemoryArtifactCatalog catalog =
      new InMemoryArtifactCatalog(() -> now) {
        @Override
        public List<BlobRef> derivedFrom(BlobRef blob) {
          try {
            beforeForgetting.run();
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
          return super.derivedFrom(blob);
        }
      };
  private final Quota quota = new Quota(1000, 100_000, 0);
  private final ArtifactIngest ingest =
      new ArtifactIngest(
          catalog,
          catalog,
          BlobStores.of(store),
          quota,
          new QuotaLedger(new InMemoryQuotaStore()),
          Runnable::run,
          () -> {},
          InMemoryChannelStore.book(catalog));
  private final ChannelBook channels = InMemoryChannelStore.book(catalog, () -> now);
  private final ArtifactRetirement retirement =
      new ArtifactRetirement(
          catalog, catalog, BlobStores.of(store), quota, channels, GRACE, () -> now);
  private final BlobSweeper sweeper =
      new BlobSweeper(catalog, store, new InMemoryDataKeyStore(), MINIMUM_AGE, () -> now, Set::of);

  @BeforeEach
  void createRepository() {
    catalog.createRepository("edge", false, false);
  }

  @Test
  void aBlobGoesAfterItsGrace() throws Exception {
    Artifact artifact = put("a", "one");
    assertThat(retirement.retire(artifact.id())).isEqualTo(new Removal.Removed(artifact));
    assertThat(retirement.retire(artifact.id())).isEqualTo(new Removal.Absent());
    assertThat(catalog.find(artifact.id())).isEmpty();
    pass(GRACE);
    assertThat(retirement.deleteExpired()).isZero();
    assertThat(blobs()).containsExactly(artifact.blob());
    assertThat(quota.used()).isEqualTo(3);
    pass(Duration.ofMillis(1));
    assertThat(retirement.deleteExpired()).isEqualTo(1);
    assertThat(blobs()).isEmpty();
    assertThat(quota.used()).isZero();
    assertThat(retirement.deleteExpired()).isZero();
  }

  @Test
  void aSharedBlobStays() throws Exception {
    Artifact one = put("a", "same");
    Artifact other = put("b", "same");
    assertThat(one.blob()).isEqualTo(other.blob());
    retirement.retire(one.id());
    pass(GRACE.multipliedBy(2));
    assertThat(retirement.deleteExpired()).isZero();
    assertThat(blobs()).containsExactly(other.blob());
    retirement.retire(other.id());
    pass(GRACE.multipliedBy(2));
    assertThat(retirement.deleteExpired()).isEqualTo(1);
    assertThat(blobs()).isEmpty();
  }

  @Test
  void aBlobThatIsTakenUpAgainStays() throws Exception {
    Artifact old = put("a", "again");
    retirement.retire(old.id());
    pass(GRACE.multipliedBy(2));
    Artifact young = put("b", "again");
    assertThat(young.blob()).isEqualTo(old.blob());
    assertThat(retirement.deleteExpired()).isZero();
    assertThat(blobs()).containsExactly(old.blob());
    assertThat(quota.used()).isEqualTo(5);
  }

  /** Between the look at what has expired and its deletion. */
  @Test
  void aBlobThatIsRetiredAnewHasAllOfItsGrace() throws Exception {
    Artifact old = put("a", "again");
    retirement.retire(old.id());
    pass(GRACE.multipliedBy(2));
    beforeForgetting = () -> retirement.retire(put("b", "again").id());
    assertThat(retirement.deleteExpired()).isZero();
    assertThat(blobs()).containsExactly(old.blob());
    beforeForgetting = () -> {};
    pass(GRACE.multipliedBy(2));
    assertThat(retirement.deleteExpired()).isEqualTo(1);
  }

  @Test
  void manyBlobsGoInOneRun() throws Exception {
    for (int i = 0; i < 250; i++) {
      retirement.retire(put("a" + i, "content " + i).id());
    }
    pass(GRACE.multipliedBy(2));
    assertThat(retirement.deleteExpired()).isEqualTo(250);
    assertThat(blobs()).isEmpty();
    assertThat(quota.used()).isZero();
  }

  @Test
  void aCrashBetweenForgettingAndDeletingLeavesAnOrphanForTheSweeper() throws Exception {
    Artifact artifact = put("a", "one");
    retirement.retire(artifact.id());
    pass(GRACE.multipliedBy(2));
    store.failDelete(new StorageException.StorageUnavailable("memory", "crash", null));
    assertThatExceptionOfType(StorageException.StorageUnavailable.class)
        .isThrownBy(retirement::deleteExpired);
    assertThat(blobs()).containsExactly(artifact.blob());
    assertThat(catalog.known(List.of(artifact.blob().key()))).isEmpty();
    store.recover();
    assertThat(retirement.deleteExpired()).isZero();
    assertThat(sweeper.sweep()).isEqualTo(new BlobSweeper.Swept(0, 0, 0));
    pass(MINIMUM_AGE);
    assertThat(sweeper.sweep()).isEqualTo(new BlobSweeper.Swept(1, 0, 0));
    assertThat(blobs()).isEmpty();
  }

  @Test
  void theSweeperLeavesAloneWhatIsKnownOrYoung() throws Exception {
    Artifact kept = put("a", "kept");
    Artifact retired = put("b", "retired");
    retirement.retire(retired.id());
    commitOrphan("old");
    pass(MINIMUM_AGE.plusSeconds(1));
    BlobRef young = commitOrphan("young");
    assertThat(sweeper.sweep()).isEqualTo(new BlobSweeper.Swept(1, 0, 0));
    assertThat(blobs()).containsExactlyInAnyOrder(kept.blob(), retired.blob(), young);
  }

  @Test
  void theSweeperGoesThroughMoreThanOneBatch() throws Exception {
    Artifact kept = put("a", "kept");
    for (int i = 0; i < 1203; i++) {
      commitOrphan("orphan " + i);
    }
    pass(MINIMUM_AGE.plusSeconds(1));
    assertThat(sweeper.sweep().orphans()).isEqualTo(1203);
    assertThat(blobs()).containsExactly(kept.blob());
  }

  @Test
  void theSweeperRemovesAbandonedUploads() throws Exception {
    BlobUpload abandoned = store.begin();
    abandoned.write(ByteBuffer.allocate(10));
    pass(MINIMUM_AGE.plusSeconds(1));
    try (BlobUpload running = store.begin()) {
      assertThat(sweeper.sweep()).isEqualTo(new BlobSweeper.Swept(0, 1, 0));
      assertThat(memory.openUploads()).isEqualTo(1);
      running.commit();
    }
  }

  @Test
  void theFirstSweepOfAServerWaitsForNothing() throws Exception {
    commitOrphan("young");
    pass(Duration.ofSeconds(1));
    assertThat(sweeper.sweepAtStart(now)).isEqualTo(new BlobSweeper.Swept(1, 0, 0));
  }

  /** Another server may be between a blob's commit and its row. */
  @Test
  void theFirstSweepOfAStoreThatOthersReachWaits() throws Exception {
    store.beRemote();
    BlobRef young = commitOrphan("young");
    pass(Duration.ofSeconds(1));
    assertThat(sweeper.sweepAtStart(now)).isEqualTo(new BlobSweeper.Swept(0, 0, 0));
    assertThat(blobs()).containsExactly(young);
    pass(MINIMUM_AGE);
    assertThat(sweeper.sweepAtStart(now)).isEqualTo(new BlobSweeper.Swept(1, 0, 0));
  }

  @Test
  void whatAChannelPointsToStays() throws Exception {
    Artifact artifact = put("1.2/fw", "one");
    Artifact other = put("1.20/fw", "other");
    Channel stable = new Channel("edge", "stable");
    channels.point(stable, "1.2", Rollout.ALL, "", _ -> {});
    assertThatThrownBy(() -> retirement.retire(artifact.id()))
        .isInstanceOf(ReleaseException.Released.class)
        .hasMessageContainingAll("stable", "1.2/fw");
    assertThat(catalog.find(artifact.id())).isPresent();
    assertThat(retirement.retire(other.id())).isInstanceOf(Removal.Removed.class);
    channels.delete(stable, _ -> {});
    assertThat(retirement.retire(artifact.id())).isInstanceOf(Removal.Removed.class);
  }

  @Test
  void aClockThatIsSetForwardShortensNoGrace() throws Exception {
    AtomicLong nanos = new AtomicLong();
    SteadyClock steady = new SteadyClock(() -> now, nanos::get);
    ArtifactRetirement careful =
        new ArtifactRetirement(
            catalog, catalog, BlobStores.of(store), quota, channels, GRACE, steady);
    Artifact artifact = put("a", "one");
    careful.retire(artifact.id());
    pass(Duration.ofDays(365));
    nanos.set(Duration.ofMinutes(9).toNanos());
    assertThat(careful.deleteExpired()).isZero();
    nanos.set(Duration.ofMinutes(11).toNanos());
    assertThat(careful.deleteExpired()).isEqualTo(1);
  }

  @Test
  void aClockThatIsSetBackIsFollowed() {
    Instant start = now;
    AtomicLong nanos = new AtomicLong();
    SteadyClock steady = new SteadyClock(() -> now, nanos::get);
    now = start.minusSeconds(60);
    nanos.set(Duration.ofSeconds(30).toNanos());
    assertThat(steady.instant()).isEqualTo(now);
  }

  /** An artifact deleted in between has a time that looks an hour old afterwards. */
  @Test
  void aClockThatIsSetBackAndForwardAgainShortensNoGrace() throws Exception {
    AtomicLong nanos = new AtomicLong();
    SteadyClock steady = new SteadyClock(() -> now, nanos::get);
    ArtifactRetirement careful =
        new ArtifactRetirement(
            catalog, catalog, BlobStores.of(store), quota, channels, GRACE, steady);
    Artifact artifact = put("a", "one");
    now = now.minus(Duration.ofHours(1));
    careful.retire(artifact.id());
    assertThat(careful.deleteExpired()).isZero();
    pass(Duration.ofHours(1));
    assertThat(careful.deleteExpired()).isZero();
    nanos.set(Duration.ofMinutes(11).toNanos());
    assertThat(careful.deleteExpired()).isEqualTo(1);
  }

  private void pass(Duration time) {
    now = now.plus(time);
  }

  private BlobRef commitOrphan(String content) throws StorageException {
    try (BlobUpload upload = store.begin()) {
      upload.write(StandardCharsets.UTF_8.encode(content));
      return upload.commit();
    }
  }

  private Artifact put(String path, String content) throws Exception {
    byte[] bytes = content.getBytes(StandardCharsets.UTF_8);
    return ingest
        .ingest(
            new IngestRequest(new ArtifactId("edge", path), "text/plain", bytes.length, List.of()),
            new ByteArrayInputStream(bytes))
        .artifact();
  }

  private Set<BlobRef> blobs() {
    try (Stream<StoredBlob> blobs = memory.list()) {
      return blobs.map(StoredBlob::ref).collect(Collectors.toSet());
    }
  }

  private interface Act {
    void run() throws Exception;
  }
}
