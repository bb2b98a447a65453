package io.artifactserver.storage.remote.s3;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.FileRegion;
import io.artifactserver.core.blob.InMemoryBlobChecksums;
import io.artifactserver.core.blob.InMemoryDataKeyStore;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.core.testserver.FaultProxy;
import io.artifactserver.core.testserver.FaultProxy.Fault;
import io.artifactserver.core.testserver.S3ProxyServer;
import io.artifactserver.storage.encrypted.EncryptedBlobStore;
import io.artifactserver.storage.encrypted.KeyRing;
import io.artifactserver.storage.local.mapped.MappedFiles;
import io.artifactserver.storage.remote.cache.CacheProperties;
import io.artifactserver.storage.remote.cache.CachingBlobStore;
import io.artifactserver.storage.remote.checked.CheckedBlobStore;
import io.artifactserver.storage.remote.journal.UploadJournals;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.util.unit.DataSize;

/**
 * The fate of bytes when the way to the server lies: with and without the cache, plain and
 * encrypted, whoever reads gets the right ones, a cut, or an error, and the right ones again once
 * the way is good, without a restart.
 */
@Execution(ExecutionMode.CONCURRENT)
class RemoteFaultsTest {
  private static final int LENGTH = 700_001;
  private static final int BLOBS = 2;

  /** So short that one request asks for all of it: an answer of 200 is then none to refuse. */
  private static final int SMALL_LENGTH = 3_000;

  private static final Duration IDLE = Duration.ofMinutes(5);

  @TempDir private static Path serverFolder;
  private static S3ProxyServer server;

  @TempDir private Path folder;
  private FaultProxy proxy;
  private S3TestServer s3;
  private final MappedFiles mappedFiles = new MappedFiles(16, IDLE);
  private final InMemoryBlobChecksums checksums = new InMemoryBlobChecksums();
  private final List<AutoCloseable> open = new ArrayList<>();

  @BeforeAll
  static void startServer() throws Exception {
    server = S3ProxyServer.start(serverFolder);
  }

  @AfterAll
  static void stopServer() throws Exception {
    server.close();
  }

  @BeforeEach
  void openStore() throws Exception {
    proxy = FaultProxy.start(server.port());
    s3 =
        new S3TestServer(proxy.endpoint(), Map.of("prefix", BlobRef.newKey(), "max-attempts", "2"));
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable each : open) {
      each.close();
    }
    mappedFiles.close();
    s3.close();
    proxy.close();
  }

  static Stream<Arguments> cases() {
    List<Fault> faults =
        List.of(
            new Fault.Flip(70_000),
            new Fault.Shift(),
            new Fault.Whole(),
            new Fault.Truncate(50_000),
            new Fault.Reset(30_000),
            new Fault.Reset(0),
            new Fault.Delay(20),
            new Fault.Refuse(500, "InternalError"),
            new Fault.Refuse(503, "SlowDown"),
            new Fault.Refuse(200, "InternalError"),
            new Fault.Refuse(404, "NoSuchKey"),
            new Fault.Refuse(412, "PreconditionFailed"),
            new Fault.Refuse(416, "InvalidRange"),
            new Fault.Field("Content-Range", "bytes 0-1/2"));
    return faults.stream()
        .flatMap(fault ->
            Stream.of(true, false)
                .flatMap(isCached ->
                    Stream.of(true, false)
                        .map(isEncrypted -> Arguments.of(fault, isCached, isEncrypted))));
  }

  @ParameterizedTest(name = "{0}, cached: {1}, encrypted: {2}")
  @MethodSource("cases")
  void nobodyGetsAWrongByte(Fault fault, boolean isCached, boolean isEncrypted) throws Exception {
    BlobStore store = store(isCached, isEncrypted);
    Random random = new Random(1);
    List<byte[]> contents = new ArrayList<>();
    List<BlobRef> refs = new ArrayList<>();
    for (int i = 0; i <= BLOBS; i++) {
      byte[] content = new byte[i < BLOBS ? LENGTH + i : SMALL_LENGTH];
      random.nextBytes(content);
      contents.add(content);
      try (BlobUpload upload = store.begin()) {
        upload.write(ByteBuffer.wrap(content));
        refs.add(upload.commit());
      }
    }
    // Two of three requests lie.
    int[] count = {0};
    proxy.plan(
        Integer.MAX_VALUE, request -> request.method().equals("GET") && count[0]++ % 3 != 0, fault);
    for (int i = 0; i < 16; i++) {
      boolean isWhole = i % 4 == 0;
      int blob = isWhole ? BLOBS : random.nextInt(BLOBS);
      int position = isWhole ? 0 : random.nextInt(LENGTH - 1);
      int length =
          isWhole ? SMALL_LENGTH : 1 + random.nextInt(Math.min(200_000, LENGTH - position));
      try {
        requireRight(store, refs.get(blob), contents.get(blob), position, length);
      } catch (StorageException.BlobCorrupt e) {
        // It marks the artifact as suspect; what is no answer to the question says nothing of it.
        assertThat(fault).as(e.getMessage()).isInstanceOfAny(Fault.Flip.class, Fault.Shift.class);
      } catch (StorageException e) {
        // An error is an answer.
      }
    }
    proxy.recover();
    eventually(
        "it is read again",
        () -> isRight(store, refs.get(BLOBS), contents.get(BLOBS), 0, SMALL_LENGTH));
    for (int i = 0; i < BLOBS; i++) {
      BlobRef ref = refs.get(i);
      byte[] content = contents.get(i);
      // A read ahead of before may have failed, and is heard of by who waits for it.
      eventually("it is read again", () -> isRight(store, ref, content, 0, LENGTH));
      eventually("it is read again", () -> isRight(store, ref, content, 12_345, 100_000));
    }
  }

  /** False if there was an error in the place of bytes. */
  private static boolean isRight(
      BlobStore store, BlobRef ref, byte[] content, int position, int length) {
    try {
      requireRight(store, ref, content, position, length);
      return true;
    } catch (StorageException e) {
      return false;
    }
  }

  private BlobStore store(boolean isCached, boolean isEncrypted) throws StorageException {
    BlobStore store =
        new CheckedBlobStore(s3.open(), checksums, UploadJournals.in(folder.resolve("journals")));
    if (isCached) {
      CachingBlobStore cache =
          CachingBlobStore.open(store, folder.resolve("cache"), cacheProperties(), mappedFiles);
      open.add(cache);
      store = cache;
    }
    return isEncrypted
        ? new EncryptedBlobStore(store, new InMemoryDataKeyStore(), KeyRing.ephemeral(), 64 * 1024)
        : store;
  }

  private static CacheProperties cacheProperties() {
    return new CacheProperties(
        true,
        "",
        DataSize.ofGigabytes(1),
        DataSize.ofBytes(0),
        CacheProperties.Fill.WHOLE,
        DataSize.ofKilobytes(128),
        8);
  }

  private static void requireRight(
      BlobStore store, BlobRef ref, byte[] content, int position, int length)
      throws StorageException {
    ByteRange range = new ByteRange(position, length);
    byte[] right = Arrays.copyOfRange(content, position, position + length);
    byte[] bytes = new byte[length];
    Optional<FileRegion> mapped = store.blob(ref).fileRegion(range);
    if (mapped.isPresent()) {
      try (FileRegion region = mapped.get()) {
        region.slice(0, length).get(bytes);
      }
      assertThat(Arrays.mismatch(bytes, right)).as("mapped").isEqualTo(-1);
      return;
    }
    ByteBuffer target = ByteBuffer.wrap(bytes);
    try (RangeReader reader = store.blob(ref).open(range)) {
      while (target.hasRemaining() && reader.read(target) >= 0) {
        // Bytes that were delivered must be right, also before a cut.
        int read = target.position();
        assertThat(Arrays.mismatch(bytes, 0, read, right, 0, read)).isEqualTo(-1);
      }
    }
    assertThat(target.hasRemaining()).isFalse();
  }
}
