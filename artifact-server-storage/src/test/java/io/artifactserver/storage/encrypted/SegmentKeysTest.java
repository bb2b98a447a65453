package io.artifactserver.storage.encrypted;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.InMemoryBlobStore;
import io.artifactserver.core.blob.InMemoryDataKeyStore;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class SegmentKeysTest {
  private static final Duration IDLE_TIME = Duration.ofHours(1);

  /** While the database cannot be asked, downloads go on for as long as they are known. */
  @Test
  void aKeyIsRememberedForItsIdleTime() throws Exception {
    InMemoryBlobStore inner = new InMemoryBlobStore();
    InMemoryDataKeyStore dataKeys = new InMemoryDataKeyStore();
    KeyRing ring = KeyRing.ephemeral();
    BlobRef ref;
    try (BlobUpload upload = new EncryptedBlobStore(inner, dataKeys, ring, 4096).begin()) {
      upload.write(ByteBuffer.allocate(5000));
      ref = upload.commit();
    }
    AtomicLong nanos = new AtomicLong();
    SegmentKeys keys =
        new SegmentKeys(inner, dataKeys, ring, "encrypted-memory", IDLE_TIME, nanos::get);
    SegmentKey key = keys.find(ref);
    nanos.addAndGet(IDLE_TIME.minusSeconds(1).toNanos());
    assertThat(keys.remembered(ref)).isSameAs(key);
    nanos.addAndGet(IDLE_TIME.plusSeconds(1).toNanos());
    assertThat(keys.remembered(ref)).isNull();
  }
}
