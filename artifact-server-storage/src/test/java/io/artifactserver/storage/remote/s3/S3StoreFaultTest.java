package io.artifactserver.storage.remote.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStore.StoredBlob;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.core.testserver.FaultProxy;
import io.artifactserver.core.testserver.FaultProxy.Fault;
import io.artifactserver.core.testserver.FaultProxy.Request;
import io.artifactserver.core.testserver.S3ProxyServer;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Listing, deleting and checking while the server fails, and a server that dies. */
class S3StoreFaultTest extends S3FaultFixture {
  @Test
  void aServerThatDiesFailsFastAndIsUsedAgainWhenItIsBack(@TempDir Path own) throws Exception {
    try (S3ProxyServer mortal = S3ProxyServer.start(own);
        FaultProxy between = FaultProxy.start(mortal.port());
        S3TestServer settings = new S3TestServer(between.endpoint(), Map.of())) {
      S3BlobStore survivor = settings.open();
      byte[] content = content(30 * CHUNK);
      BlobRef ref;
      try (BlobUpload upload = survivor.begin()) {
        upload.write(ByteBuffer.wrap(content));
        ref = upload.commit();
      }
      ByteBuffer received = ByteBuffer.allocate(content.length);
      try (RangeReader reader = survivor.blob(ref).open(ByteRange.whole(content.length))) {
        reader.read(received.limit(CHUNK));
        mortal.kill();
        received.limit(content.length);
        assertThatExceptionOfType(StorageException.StorageUnavailable.class)
            .isThrownBy(() -> {
              while (reader.read(received) >= 0) {
                assertThat(received.position()).isPositive();
              }
            });
      }
      assertThat(Arrays.copyOf(received.array(), received.position()))
          .isEqualTo(Arrays.copyOf(content, received.position()));
      await(() -> fails(survivor, ref) && failsWithoutARequest(between, survivor, ref));
      assertThatExceptionOfType(StorageException.StorageUnavailable.class)
          .isThrownBy(() -> {
            try (BlobUpload upload = survivor.begin()) {
              upload.write(ByteBuffer.wrap(content));
              upload.commit();
            }
          });
      mortal.restart();
      await(() -> !fails(survivor, ref));
      assertThat(read(survivor, ref, ByteRange.whole(content.length))).isEqualTo(content);
      survivor.check();
    }
  }

  @Test
  void aListingAsksForItsPagesOneByOne() throws Exception {
    for (int i = 0; i < 3; i++) {
      store(content(i + 1));
    }
    proxy.reset();
    try (Stream<StoredBlob> blobs = store.list()) {
      assertThat(blobs.iterator().next().ref().length()).isPositive();
    }
    assertThat(proxy.requests()).hasSize(1);
    proxy.plan(Integer.MAX_VALUE, isGet(), new Fault.Refuse(500, "InternalError"));
    assertThatExceptionOfType(StorageException.StorageUnavailable.class)
        .isThrownBy(() -> store.list().close())
        .withMessageContaining("list");
  }

  @Test
  void deletingIsTriedAgain() throws Exception {
    BlobRef ref = store(content(10));
    proxy.plan(1, request -> request.method().equals("DELETE"), new Fault.Refuse(503, "SlowDown"));
    store.delete(ref);
    assertThatExceptionOfType(StorageException.BlobNotFound.class)
        .isThrownBy(() -> read(store, ref, ByteRange.whole(10)));
  }

  @Test
  void theCheckWritesOnceAndAsksThen() throws Exception {
    proxy.reset();
    store.check();
    store.check();
    store.check();
    assertThat(proxy.requests().stream().map(Request::method))
        .containsExactly("PUT", "HEAD", "HEAD");
    proxy.plan(Integer.MAX_VALUE, request -> true, new Fault.Refuse(403, "AccessDenied"));
    assertThatExceptionOfType(StorageException.StorageUnavailable.class)
        .isThrownBy(store::check)
        .withMessageContaining("credentials")
        .withMessageContaining("blobs");
  }
}
