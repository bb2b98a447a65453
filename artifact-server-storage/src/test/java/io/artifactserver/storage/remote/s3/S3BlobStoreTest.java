package io.artifactserver.storage.remote.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.BlobStoreContract;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.UploadCheckpoint;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.core.testserver.S3ProxyServer;
import java.io.InputStream;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.core.sync.RequestBody;

/**
 * The contract against a real server of the protocol: S3Proxy, or the one whose address the system
 * property {@code s3.endpoint} has, with S3Proxy's credentials.
 */
class S3BlobStoreTest extends BlobStoreContract {
  @TempDir private static Path folder;
  private static @Nullable S3ProxyServer server;
  private static URI endpoint = URI.create("");

  private S3TestServer s3;
  private S3BlobStore store;
  private String prefix;

  @BeforeAll
  static void startServer() throws Exception {
    String other = System.getProperty("s3.endpoint", "");
    if (other.isEmpty()) {
      server = S3ProxyServer.start(folder);
      endpoint = server.endpoint();
    } else {
      endpoint = URI.create(other);
    }
  }

  @AfterAll
  static void stopServer() throws Exception {
    if (server != null) {
      server.close();
    }
  }

  @BeforeEach
  void openStore() {
    prefix = BlobRef.newKey();
    s3 = new S3TestServer(endpoint, Map.of("prefix", prefix));
    store = s3.open();
  }

  @AfterEach
  void closeStore() {
    assertThat(s3.budgetUsed()).isZero();
    s3.close();
  }

  @Override
  protected BlobStore store() {
    return store;
  }

  @Override
  protected BlobStore restarted() {
    return s3.open();
  }

  @Override
  protected long unit() {
    return S3TestServer.CHUNK_LENGTH;
  }

  @Override
  protected boolean supportsFileRegions() {
    return false;
  }

  @Test
  void abortsTheUploadsOfProcessesThatDied() throws Exception {
    String lost = BlobRef.newKey();
    s3.client().createMultipartUpload(r -> r.bucket("blobs").key(prefix + "/blobs/" + lost));
    s3.client().createMultipartUpload(r -> r.bucket("blobs").key("elsewhere/blobs/" + lost));
    byte[] content = content(11 << 20, 1);
    try (BlobUpload own = store.begin()) {
      own.write(ByteBuffer.wrap(content));
      Instant now = Instant.now();
      assertThat(store.removeAbandonedUploads(now.minus(Duration.ofHours(1)))).isZero();
      assertThat(store.removeAbandonedUploads(now.plus(Duration.ofHours(1)))).isEqualTo(1);
      assertThat(store.removeAbandonedUploads(now.plus(Duration.ofHours(1)))).isZero();
      BlobRef ref = own.commit();
      assertThat(read(store.blob(ref), ByteRange.whole(content.length), ByteBuffer.allocate(8192)))
          .isEqualTo(content);
    }
  }

  @Test
  void anUploadInPartsGoesOnWhereverItIsLeft() throws Exception {
    int part = 5 << 20;
    byte[] content = content(2 * part + 1000, 3);
    for (int position : new int[] {part - 1, part, part + 1, 2 * part + 7}) {
      UploadCheckpoint checkpoint = left(content, position);
      BlobRef ref = finish(restarted(), checkpoint, content);
      assertThat(read(store.blob(ref), ByteRange.whole(content.length), ByteBuffer.allocate(8192)))
          .isEqualTo(content);
      assertThat(
              s3.client()
                  .listObjectsV2(r -> r.bucket("blobs").prefix(prefix + "/uploads/"))
                  .contents())
          .isEmpty();
    }
  }

  /** As a cipher needs it: other bytes in the place of some that were sent would tell both. */
  @Test
  void whatADeadProcessSentComesAgainAsItWasOrNotAtAll() throws Exception {
    int part = 5 << 20;
    byte[] content = content(3 * part + 1000, 4);
    for (int changed : new int[] {-1, part + 200, 2 * part + 20}) {
      UploadCheckpoint checkpoint;
      try (BlobUpload killed = store.begin()) {
        killed.write(ByteBuffer.wrap(content, 0, part + 100));
        checkpoint = new UploadCheckpoint(killed.key(), part + 100, killed.checkpoint(), true);
        killed.write(ByteBuffer.wrap(content, part + 100, part));
        // Nobody keeps it.
        byte[] _ = killed.checkpoint();
        byte[] again = content.clone();
        if (changed >= 0) {
          again[changed] ^= 1;
        }
        try (BlobUpload upload = restarted().resume(checkpoint)) {
          assertThat(upload.mayCheckpoint()).isFalse();
          if (changed < 0) {
            upload.write(ByteBuffer.wrap(again, part + 100, 2 * part));
            assertThat(upload.mayCheckpoint()).isTrue();
            upload.write(ByteBuffer.wrap(again, 3 * part + 100, again.length - 3 * part - 100));
            BlobRef ref = upload.commit();
            assertThat(
                    read(
                        store.blob(ref),
                        ByteRange.whole(content.length),
                        ByteBuffer.allocate(8192)))
                .isEqualTo(content);
          } else {
            assertThatExceptionOfType(StorageException.BlobCorrupt.class)
                .isThrownBy(() -> {
                  upload.write(ByteBuffer.wrap(again, part + 100, again.length - part - 100));
                  upload.commit();
                })
                .withMessageContaining("other bytes");
          }
        }
      }
    }
  }

  @Test
  void listsMoreBlobsThanAPageHas() throws Exception {
    int count = 1003;
    for (int i = 0; i < count; i++) {
      String name = prefix + "/blobs/%032x".formatted(i);
      s3.client().putObject(r -> r.bucket("blobs").key(name), RequestBody.fromString("1"));
    }
    s3.client()
        .putObject(
            r -> r.bucket("blobs").key(prefix + "/blobs/not-ours"), RequestBody.fromString("1"));
    assertThat(listed()).hasSize(count);
  }

  @Test
  void anAddressServesWithoutCredentials() throws Exception {
    byte[] content = content(1000, 2);
    BlobRef ref = store(content);
    URI address =
        store
            .blob(ref)
            .temporaryAddress("application/x-firmware", "attachment; filename=\"a b.bin\"")
            .orElseThrow();
    assertThat(address.toString()).doesNotContain(S3ProxyServer.SECRET_KEY);
    try (InputStream body = address.toURL().openStream()) {
      assertThat(body.readAllBytes()).isEqualTo(content);
    }
  }

  /** At 100 KB/s; S3 takes a week at most. */
  @Test
  void anAddressIsGoodForAsLongAsASlowClientNeeds() throws Exception {
    assertThat(address(1_000)).contains("X-Amz-Expires=900");
    assertThat(address(1_000_000_000)).contains("X-Amz-Expires=10000");
    assertThat(address(1_000_000_000_000L)).contains("X-Amz-Expires=604800");
  }

  private String address(long length) throws Exception {
    return store
        .blob(new BlobRef(BlobRef.newKey(), length))
        .temporaryAddress("a/b", "inline")
        .orElseThrow()
        .toString();
  }
}
