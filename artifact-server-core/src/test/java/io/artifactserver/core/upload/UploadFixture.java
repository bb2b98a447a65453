package io.artifactserver.core.upload;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.blob.BlobStores;
import io.artifactserver.core.blob.InMemoryBlobStore;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.FaultyArtifactCatalog;
import io.artifactserver.core.catalog.InMemoryArtifactCatalog;
import io.artifactserver.core.digest.ClonedDigests;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.digest.SavableDigests;
import io.artifactserver.core.ingest.ArtifactIngest;
import io.artifactserver.core.ingest.FaultyBlobStore;
import io.artifactserver.core.ingest.IngestException;
import io.artifactserver.core.ingest.IngestRequest;
import io.artifactserver.core.ingest.IngestResult;
import io.artifactserver.core.ingest.Quota;
import io.artifactserver.core.limit.InMemoryQuotaStore;
import io.artifactserver.core.limit.QuotaLedger;
import io.artifactserver.core.release.InMemoryChannelStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ForkJoinPool;
import org.junit.jupiter.api.BeforeEach;

/** Unfinished uploads in memory, and processes that go on with them. */
abstract class UploadFixture {
  static final long MAX_LENGTH = 4L << 20;
  static final int INTERVAL = 1000;
  static final int MAX_OPEN = 2;
  static final Duration TIME_TO_LIVE = Duration.ofHours(24);

  final InMemoryBlobStore memory = new InMemoryBlobStore();
  final InMemoryBlobStore encrypted = InMemoryBlobStore.markingEncrypted();
  final FaultyBlobStore store = new FaultyBlobStore(memory);
  final InMemoryArtifactCatalog artifacts = new InMemoryArtifactCatalog();
  final FaultyArtifactCatalog catalog = new FaultyArtifactCatalog(artifacts);
  final Quota quota = new Quota(MAX_LENGTH, 10L << 20, 0);
  final InMemoryUploadRows rows = new InMemoryUploadRows();
  final SavableDigests digests = new ClonedDigests();
  final InMemoryQuotaStore quotas = new InMemoryQuotaStore(artifacts);
  Instant now = Instant.parse("2026-01-01T00:00:00Z");
  InstantSource clock = () -> now;
  Duration pause = Duration.ZERO;
  QuotaLedger ledger = new QuotaLedger(quotas);
  UnfinishedUploads uploads = start();

  @BeforeEach
  void createRepositories() {
    catalog.createRepository("edge", false, false);
    catalog.createRepository("vault", false, true);
  }

  /** As a process that finds what the one before has left. */
  final UnfinishedUploads start() {
    ledger = new QuotaLedger(quotas);
    ArtifactIngest ingest =
        new ArtifactIngest(
            catalog,
            artifacts,
            new BlobStores(store, encrypted),
            quota,
            ledger,
            ForkJoinPool.commonPool(),
            () -> {},
            InMemoryChannelStore.book(catalog));
    UnfinishedUploads started =
        new UnfinishedUploads(
            new UploadPorts(
                rows,
                catalog,
                new BlobStores(store, encrypted),
                ingest,
                digests,
                ForkJoinPool.commonPool(),
                () -> clock.instant()),
            new UploadBounds(3, 2, MAX_OPEN, TIME_TO_LIVE, INTERVAL, pause));
    started.recover();
    return started;
  }

  final List<UploadStatus> list() {
    return uploads.list("", Integer.MAX_VALUE);
  }

  final String begin(String name, long length) throws IngestException, UploadException {
    return uploads
        .begin("me", new IngestRequest(id(name), "text/plain", length, List.of()), "")
        .id();
  }

  final void send(String id, byte[] content, int position, int length) throws Exception {
    try (UploadSession session = uploads.take(id, () -> {})) {
      session.requirePosition(position);
      session.append(
          ByteBuffer.wrap(content, position, Math.min(length, content.length - position)));
      session.pause();
    }
  }

  final IngestResult complete(String id) throws Exception {
    try (UploadSession session = uploads.take(id, () -> {})) {
      return session.complete().orElseThrow();
    }
  }

  final void assertStored(String name, byte[] content) throws IOException {
    var artifact = artifacts.find(id(name)).orElseThrow();
    InMemoryBlobStore holder = artifact.blob().encrypted() ? encrypted : memory;
    assertThat(holder.bytes(artifact.blob().key())).isEqualTo(content);
    assertThat(artifact.digests().sha256()).isEqualTo(sha256(content));
    assertThat(artifact.length()).isEqualTo(content.length);
  }

  final void assertNothingIsKept() throws StorageException {
    assertThat(memory.keptUploads()).isZero();
    assertThat(memory.openUploads()).isZero();
    assertThat(memory.list()).isEmpty();
    assertThat(quota.used()).isZero();
    assertThat(rows.size()).isZero();
    assertThat(list()).isEmpty();
  }

  static ArtifactId id(String text) {
    int slash = text.indexOf('/');
    return new ArtifactId(text.substring(0, slash), text.substring(slash + 1));
  }

  static Digest sha256(byte[] content) {
    return Digest.of(
        DigestAlgorithm.SHA_256, DigestAlgorithm.SHA_256.newMessageDigest().digest(content));
  }

  static byte[] content(int length) {
    byte[] content = new byte[length];
    new Random(length).nextBytes(content);
    return content;
  }

  final String part(String name, long length) throws Exception {
    return uploads
        .beginPart("me", new IngestRequest(id(name), "text/plain", length, List.of()), "")
        .id();
  }

  /** Two parts that have all of their bytes. */
  final String[] sentParts(byte[] content, int edge) throws Exception {
    int rest = content.length - edge;
    String[] parts = {part("edge/fw", edge), part("edge/fw", rest)};
    send(parts[0], Arrays.copyOf(content, edge), 0, edge);
    send(parts[1], Arrays.copyOfRange(content, edge, content.length), 0, rest);
    for (String part : parts) {
      assertThat(finish(part)).isEmpty();
    }
    return parts;
  }

  final String whole(String name, String... parts) throws Exception {
    return uploads
        .beginOfParts(
            "other",
            new IngestRequest(id(name), "text/plain", IngestRequest.UNKNOWN_LENGTH, List.of()),
            "",
            List.of(parts))
        .id();
  }

  final Optional<IngestResult> finish(String id) throws Exception {
    try (UploadSession session = uploads.take(id, () -> {})) {
      return session.complete();
    }
  }

  final Optional<IngestResult> concatenate(String id)
      throws UploadException, IngestException, StorageException {
    return uploads.concatenate(id, () -> {}, () -> {});
  }
}
