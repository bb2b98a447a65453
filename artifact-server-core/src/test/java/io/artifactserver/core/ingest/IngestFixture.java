package io.artifactserver.core.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.BlobStore.StoredBlob;
import io.artifactserver.core.blob.BlobStores;
import io.artifactserver.core.blob.InMemoryBlobStore;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.FaultyArtifactCatalog;
import io.artifactserver.core.catalog.InMemoryArtifactCatalog;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.limit.InMemoryQuotaStore;
import io.artifactserver.core.limit.QuotaLedger;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.core.release.InMemoryChannelStore;
import java.io.ByteArrayInputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ForkJoinPool;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;

/** An ingest on stores in memory that fail when told to, and its repositories. */
abstract class IngestFixture {
  static final long MAX_LENGTH = 4L << 20;
  private static final long MAX_TOTAL = 10L << 20;

  final InMemoryBlobStore memory = new InMemoryBlobStore();
  final InMemoryBlobStore encrypted = InMemoryBlobStore.markingEncrypted();
  final FaultyBlobStore store = new FaultyBlobStore(memory);
  final InMemoryArtifactCatalog rows = new InMemoryArtifactCatalog();
  final FaultyArtifactCatalog catalog = new FaultyArtifactCatalog(rows);
  final Quota quota = new Quota(MAX_LENGTH, MAX_TOTAL, 0);
  final QuotaLedger ledger = new QuotaLedger(new InMemoryQuotaStore(rows));
  final ArtifactIngest ingest =
      new ArtifactIngest(
          catalog,
          rows,
          new BlobStores(store, encrypted),
          quota,
          ledger,
          ForkJoinPool.commonPool(),
          () -> {},
          InMemoryChannelStore.book(catalog));

  @BeforeEach
  void createRepositories() {
    catalog.createRepository("edge", false, false);
    catalog.createRepository("core", false, false);
    catalog.createRepository("vault", false, true);
  }

  void assertNothingIsKept() {
    assertThat(blobs()).isEmpty();
    assertThat(memory.openUploads()).isZero();
    assertThat(quota.used()).isZero();
    assertThat(catalog.find(id("edge/firmware"))).isEmpty();
    assertThat(rows.storedBytes()).isZero();
  }

  Set<BlobRef> blobs() {
    try (Stream<StoredBlob> blobs = memory.list()) {
      return blobs.map(StoredBlob::ref).collect(Collectors.toSet());
    }
  }

  IngestResult put(String id, byte[] content) throws IngestException, StorageException {
    return ingest.ingest(
        request(id, IngestRequest.UNKNOWN_LENGTH, List.of()), new ByteArrayInputStream(content));
  }

  byte[] stored(Artifact artifact) throws StorageException {
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

  static IngestRequest request(String id, long declaredLength, List<Digest> expected) {
    return new IngestRequest(id(id), "application/octet-stream", declaredLength, expected);
  }

  private static ArtifactId id(String text) {
    int slash = text.indexOf('/');
    return new ArtifactId(text.substring(0, slash), text.substring(slash + 1));
  }

  static Digest digest(DigestAlgorithm algorithm, byte[] content) {
    return Digest.of(algorithm, algorithm.newMessageDigest().digest(content));
  }

  static byte[] content(int length, long seed) {
    byte[] content = new byte[length];
    new Random(seed).nextBytes(content);
    return content;
  }
}
