package io.artifactserver.storage.remote.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.BlobStores;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.InMemoryBlobChecksums;
import io.artifactserver.core.blob.InMemoryDataKeyStore;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.InMemoryArtifactCatalog;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.digest.Digests;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.core.suspect.SuspectCheck;
import io.artifactserver.core.suspect.SuspectCheck.Run;
import io.artifactserver.core.testserver.FaultProxy;
import io.artifactserver.core.testserver.FaultProxy.Fault;
import io.artifactserver.core.testserver.S3ProxyServer;
import io.artifactserver.storage.encrypted.EncryptedBlobStore;
import io.artifactserver.storage.encrypted.KeyRing;
import io.artifactserver.storage.local.file.FileBlobStore;
import io.artifactserver.storage.local.mapped.MappedFiles;
import io.artifactserver.storage.remote.cache.CacheProperties;
import io.artifactserver.storage.remote.cache.CachingBlobStore;
import io.artifactserver.storage.remote.checked.CheckedBlobStore;
import io.artifactserver.storage.remote.journal.UploadJournals;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.util.unit.DataSize;
import software.amazon.awssdk.core.sync.RequestBody;

/** Suspicion ends when the backend's bytes are right, whatever a cache has of them. */
class SuspectBlobTest {
  private static final int LENGTH = 300_000;
  private static final Duration PAUSE = Duration.ofMinutes(5);

  /** The stores that keep the bytes. */
  enum Backend {
    FILE(false, false, false),
    ENCRYPTED_FILE(false, false, true),
    S3(true, false, false),
    CACHED_S3(true, true, false),
    ENCRYPTED_S3(true, false, true),
    ENCRYPTED_CACHED_S3(true, true, true);

    private final boolean isRemote;
    private final boolean isCached;
    private final boolean isEncrypted;

    Backend(boolean isRemote, boolean isCached, boolean isEncrypted) {
      this.isRemote = isRemote;
      this.isCached = isCached;
      this.isEncrypted = isEncrypted;
    }
  }

  @TempDir private static Path serverFolder;
  private static S3ProxyServer server;

  @TempDir private Path folder;
  private final String prefix = BlobRef.newKey();
  private final MappedFiles mappedFiles = new MappedFiles(16, Duration.ofMinutes(5));
  private final InMemoryArtifactCatalog catalog = new InMemoryArtifactCatalog();
  private final List<AutoCloseable> open = new ArrayList<>();
  private FaultProxy proxy;
  private S3TestServer s3;
  private Instant now = Instant.parse("2026-01-01T00:00:00Z");

  @BeforeAll
  static void startServer() throws Exception {
    server = S3ProxyServer.start(serverFolder);
  }

  @AfterAll
  static void stopServer() throws Exception {
    server.close();
  }

  @BeforeEach
  void openServer() throws Exception {
    proxy = FaultProxy.start(server.port());
    s3 = new S3TestServer(proxy.endpoint(), Map.of("prefix", prefix, "max-attempts", "2"));
    catalog.createRepository("edge", false, false);
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

  @ParameterizedTest
  @EnumSource
  void endsWhenTheBackendsBytesAreRight(Backend backend) throws Exception {
    byte[] content = new byte[LENGTH];
    new Random(1).nextBytes(content);
    BlobStores stores = stores(backend);
    BlobRef blob = put(stores.of(backend.isEncrypted), content);
    // Cached whole, where there is a cache.
    assertThat(bytes(stores, blob)).isEqualTo(content);
    SuspectCheck check = new SuspectCheck(catalog, stores, PAUSE, () -> now);
    byte[] stored = stored(backend, blob);
    for (int damaged : new int[] {3, stored.length - 1}) {
      byte[] other = stored.clone();
      other[damaged] ^= 1;
      overwrite(backend, blob, other);
      catalog.suspect(blob);
      now = now.plus(Duration.ofDays(1));
      assertThat(check.run()).as("byte %d", damaged).isEqualTo(new Run(0, 1));
      overwrite(backend, blob, stored);
      now = now.plus(Duration.ofDays(1));
      assertThat(check.run()).isEqualTo(new Run(1, 0));
      assertThat(catalog.suspectCount()).isZero();
      assertThat(bytes(stores, blob)).isEqualTo(content);
    }
    overwrite(backend, blob, new byte[stored.length - 1]);
    catalog.suspect(blob);
    now = now.plus(Duration.ofDays(1));
    assertThat(check.run()).isEqualTo(new Run(0, 1));
    overwrite(backend, blob, stored);
    now = now.plus(Duration.ofDays(1));
    assertThat(check.run()).isEqualTo(new Run(1, 0));
    assertThat(bytes(stores, blob)).isEqualTo(content);
  }

  /** Good copies go on serving while the bucket does not. */
  @ParameterizedTest
  @EnumSource(names = {"CACHED_S3", "ENCRYPTED_CACHED_S3"})
  void staysWhileTheBackendCannotBeRead(Backend backend) throws Exception {
    byte[] content = new byte[LENGTH];
    new Random(1).nextBytes(content);
    BlobStores stores = stores(backend);
    BlobRef blob = put(stores.of(backend.isEncrypted), content);
    assertThat(bytes(stores, blob)).isEqualTo(content);
    catalog.suspect(blob);
    proxy.plan(Integer.MAX_VALUE, _ -> true, new Fault.Refuse(503, "SlowDown"));
    SuspectCheck check = new SuspectCheck(catalog, stores, PAUSE, () -> now);
    try {
      check.run();
    } catch (StorageException.StorageUnavailable e) {
      assertThat(catalog.suspectCount()).isEqualTo(1);
    }
    assertThat(bytes(stores, blob)).isEqualTo(content);
    proxy.recover();
    now = now.plus(PAUSE);
    assertThat(check.run()).isEqualTo(new Run(1, 0));
  }

  private BlobStores stores(Backend backend) throws StorageException {
    BlobStore plain =
        backend.isRemote
            ? new CheckedBlobStore(
                s3.open(),
                new InMemoryBlobChecksums(),
                UploadJournals.in(folder.resolve("journals")))
            : FileBlobStore.open(folder, mappedFiles);
    if (backend.isCached) {
      CachingBlobStore cache =
          CachingBlobStore.open(plain, folder.resolve("cache"), cacheProperties(), mappedFiles);
      open.add(cache);
      plain = cache;
    }
    return new BlobStores(
        plain,
        new EncryptedBlobStore(plain, new InMemoryDataKeyStore(), KeyRing.ephemeral(), 64 * 1024));
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

  private BlobRef put(BlobStore store, byte[] content) throws StorageException {
    BlobRef blob;
    try (BlobUpload upload = store.begin()) {
      upload.write(ByteBuffer.wrap(content));
      blob = upload.commit();
    }
    Digest sha256 =
        Digest.of(
            DigestAlgorithm.SHA_256, DigestAlgorithm.SHA_256.newMessageDigest().digest(content));
    catalog.add(
        new ArtifactId("edge", "firmware"),
        "text/plain",
        blob,
        new Digests(Map.of(DigestAlgorithm.SHA_256, sha256)));
    return blob;
  }

  private static byte[] bytes(BlobStores stores, BlobRef blob) throws StorageException {
    ByteBuffer bytes = ByteBuffer.allocate((int) blob.length());
    try (RangeReader reader = stores.blob(blob).open(ByteRange.whole(blob.length()))) {
      while (reader.read(bytes) >= 0) {
        // Until it ends.
      }
    }
    return bytes.array();
  }

  private byte[] stored(Backend backend, BlobRef blob) throws IOException {
    return backend.isRemote
        ? s3.client()
            .getObjectAsBytes(r -> r.bucket(s3.bucket()).key(objectName(blob)))
            .asByteArray()
        : Files.readAllBytes(file(blob));
  }

  private void overwrite(Backend backend, BlobRef blob, byte[] bytes) throws IOException {
    if (backend.isRemote) {
      s3.client()
          .putObject(
              r -> r.bucket(s3.bucket()).key(objectName(blob)), RequestBody.fromBytes(bytes));
    } else {
      // Another file, as a restored backup is.
      Files.delete(file(blob));
      Files.write(file(blob), bytes);
    }
  }

  private String objectName(BlobRef blob) {
    return prefix + "/blobs/" + blob.key();
  }

  private Path file(BlobRef blob) {
    String key = blob.key();
    return folder.resolve(
        "blobs/%s/%s/%s".formatted(key.substring(0, 2), key.substring(2, 4), key));
  }
}
