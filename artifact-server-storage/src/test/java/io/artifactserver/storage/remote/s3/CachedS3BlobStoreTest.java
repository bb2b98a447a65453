package io.artifactserver.storage.remote.s3;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.BlobStoreContract;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.FileRegion;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.nightly.Nightly;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.core.testserver.FaultProxy;
import io.artifactserver.core.testserver.FaultProxy.Fault;
import io.artifactserver.core.testserver.S3ProxyServer;
import io.artifactserver.storage.local.mapped.MappedFiles;
import io.artifactserver.storage.remote.cache.CacheProperties;
import io.artifactserver.storage.remote.cache.CachingBlobStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.util.unit.DataSize;

/** The cache in front of a real server of the protocol, whose requests are counted. */
class CachedS3BlobStoreTest extends BlobStoreContract {
  private static final int PIECE_LENGTH = S3TestServer.CHUNK_LENGTH;
  private static final int LARGE_PIECE = 1 << 20;
  @TempDir private static Path serverFolder;
  private static S3ProxyServer server;
  private static FaultProxy proxy;

  @TempDir private Path folder;
  private final MappedFiles mappedFiles = new MappedFiles(16, Duration.ofMinutes(5));
  private final List<AutoCloseable> opened = new ArrayList<>();
  private BlobStore store;

  @BeforeAll
  static void startServer() throws Exception {
    server = S3ProxyServer.start(serverFolder);
    proxy = FaultProxy.start(server.endpoint().getPort());
  }

  @AfterAll
  static void stopServer() throws Exception {
    proxy.close();
    server.close();
  }

  @BeforeEach
  void openStore() throws StorageException {
    proxy.recover();
    store = open(PIECE_LENGTH);
  }

  @AfterEach
  void closeStores() throws Exception {
    for (AutoCloseable each : opened.reversed()) {
      each.close();
    }
    mappedFiles.close();
  }

  @Override
  protected BlobStore store() {
    return store;
  }

  @Override
  protected long unit() {
    return PIECE_LENGTH;
  }

  @Override
  protected boolean supportsFileRegions() {
    return false;
  }

  /** Of every block of a MiB, the first four bytes are its number. */
  @Test
  @Nightly("CacheFillTest has readers of one fill; here there are many, and many bytes.")
  void twoHundredColdReadersOf256MebibytesCauseOneDownload() throws Exception {
    int blocks = 256;
    ByteBuffer block = ByteBuffer.wrap(content(LARGE_PIECE, 1));
    CachingBlobStore cache = open(LARGE_PIECE);
    BlobRef ref;
    try (BlobUpload upload = cache.begin()) {
      for (int i = 0; i < blocks; i++) {
        upload.write(block.putInt(0, i).duplicate());
      }
      ref = upload.commit();
    }
    proxy.reset();
    CountDownLatch start = new CountDownLatch(1);
    try (ExecutorService readers = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Long>> reads = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        // Every 25th reads all of it; the others an eighth each, which costs the test less.
        int first = i % 25 == 0 ? 0 : i % 8 * (blocks / 8);
        int end = i % 25 == 0 ? blocks : first + blocks / 8;
        reads.add(
            readers.submit(() -> {
              start.await();
              return compare(cache, ref, block.asReadOnlyBuffer(), first, end);
            }));
      }
      start.countDown();
      for (Future<Long> read : reads) {
        assertThat(read.get()).isPositive();
      }
    }
    awaitMappable(cache, ref);
    assertThat(proxy.bodyBytes()).isEqualTo((long) blocks * LARGE_PIECE);
    assertThat(proxy.requests("GET")).hasSize(blocks);
    assertThat(proxy.peakInFlight()).isLessThanOrEqualTo(32);
  }

  @Test
  void aPieceIsOneGetOfExactlyItsBytes() throws Exception {
    byte[] content = content(5 * PIECE_LENGTH + 7, 2);
    BlobRef ref = store(content);
    proxy.reset();
    assertThat(read(store.blob(ref), ByteRange.whole(content.length), ByteBuffer.allocate(5000)))
        .isEqualTo(content);
    List<String> ranges =
        proxy.requests("GET").stream().flatMap(get -> get.field("Range").stream()).toList();
    assertThat(ranges).hasSize(6).contains("bytes=0-65535", "bytes=327680-327686");
    assertThat(new HashSet<>(ranges)).hasSize(6);
  }

  @Test
  void aServerThatFailsNowAndThenIsAskedAgainForWhatIsMissing() throws Exception {
    byte[] content = content(20 * PIECE_LENGTH, 3);
    BlobRef ref = store(content);
    proxy.plan(2, request -> request.method().equals("GET"), new Fault.Reset(1000));
    proxy.plan(2, request -> request.method().equals("GET"), new Fault.Truncate(30_000));
    for (int i = 0; i < 2; i++) {
      assertThat(read(store.blob(ref), ByteRange.whole(content.length), ByteBuffer.allocate(5000)))
          .isEqualTo(content);
    }
    awaitMappable(store, ref);
  }

  private CachingBlobStore open(int pieceLength) throws StorageException {
    S3TestServer s3 =
        new S3TestServer(
            proxy.endpoint(), Map.of("prefix", BlobRef.newKey(), "chunk-size", pieceLength + "B"));
    opened.add(s3);
    CacheProperties properties =
        new CacheProperties(
            true,
            "",
            DataSize.ofGigabytes(1),
            DataSize.ofBytes(0),
            CacheProperties.Fill.WHOLE,
            DataSize.ofBytes(pieceLength),
            32);
    CachingBlobStore cache =
        CachingBlobStore.open(
            s3.open(), folder.resolve("cache" + pieceLength), properties, mappedFiles);
    opened.add(cache);
    return cache;
  }

  private static long compare(BlobStore store, BlobRef ref, ByteBuffer block, int first, int end)
      throws IOException {
    ByteBuffer piece = ByteBuffer.allocate(64 * 1024);
    long position = (long) first * LARGE_PIECE;
    ByteRange range = new ByteRange(position, (long) (end - first) * LARGE_PIECE);
    try (RangeReader reader = store.blob(ref).open(range)) {
      while (reader.read(piece.clear()) >= 0) {
        piece.flip();
        int offset = (int) (position % LARGE_PIECE);
        if (offset == 0) {
          assertThat(piece.getInt(0)).isEqualTo((int) (position / LARGE_PIECE));
          piece.putInt(0, block.getInt(0));
        }
        assertThat(piece.mismatch(block.slice(offset, piece.limit()))).isEqualTo(-1);
        position += piece.limit();
      }
    }
    assertThat(position).isEqualTo(range.end());
    return range.length();
  }

  private static void awaitMappable(BlobStore store, BlobRef ref) {
    eventually(
        "the blob is mappable",
        () -> {
          Optional<FileRegion> region = store.blob(ref).fileRegion(ByteRange.whole(ref.length()));
          region.ifPresent(FileRegion::close);
          return region.isPresent();
        });
  }
}
