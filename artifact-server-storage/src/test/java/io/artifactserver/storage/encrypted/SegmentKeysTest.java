package io.artifactserver.storage.encrypted;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.blob.Blob;
import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.FileRegion;
import io.artifactserver.core.blob.ForwardingBlobStore;
import io.artifactserver.core.blob.InMemoryBlobStore;
import io.artifactserver.core.blob.InMemoryDataKeyStore;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.Wait;
import io.artifactserver.core.range.ByteRange;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
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

  /** Eight cold clients of a bucket that hangs waited one after the other. */
  @Test
  void whoWaitsForAKeySharesItsFailure() throws Exception {
    InMemoryBlobStore blobs = new InMemoryBlobStore();
    InMemoryDataKeyStore dataKeys = new InMemoryDataKeyStore();
    KeyRing ring = KeyRing.ephemeral();
    BlobRef ref;
    try (BlobUpload upload = new EncryptedBlobStore(blobs, dataKeys, ring, 4096).begin()) {
      upload.write(ByteBuffer.allocate(5000));
      ref = upload.commit();
    }
    HangingBucket bucket = new HangingBucket(blobs);
    SegmentKeys keys =
        new SegmentKeys(bucket, dataKeys, ring, "encrypted", IDLE_TIME, System::nanoTime);
    List<Thread> clients = new ArrayList<>();
    List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
    for (int i = 0; i < 8; i++) {
      clients.add(
          Thread.ofPlatform()
              .start(() -> {
                try {
                  keys.find(ref);
                } catch (StorageException e) {
                  failures.add(e);
                }
              }));
    }
    eventually(
        "all wait",
        () -> clients.stream().allMatch(client -> client.getState() == Thread.State.WAITING));
    assertThat(bucket.reads).hasValue(1);
    bucket.timeout.countDown();
    for (Thread client : clients) {
      client.join();
    }
    assertThat(bucket.reads).hasValue(1);
    assertThat(failures).hasSize(8).allMatch(StorageException.StorageUnavailable.class::isInstance);

    bucket.hangs = false;
    assertThat(keys.find(ref)).isSameAs(keys.remembered(ref));
    SegmentKey known = keys.find(ref);
    assertThat(keys.findAgain(ref, known)).isNotSameAs(known).isSameAs(keys.remembered(ref));
    // Deleted meanwhile.
    keys.forget(ref.key());
    keys.findAgain(ref, known);
    assertThat(keys.remembered(ref)).isNull();
  }

  /** Its reads time out at the same moment. */
  private static final class HangingBucket extends ForwardingBlobStore {
    private final CountDownLatch timeout = new CountDownLatch(1);
    private final AtomicInteger reads = new AtomicInteger();
    private volatile boolean hangs = true;

    private HangingBucket(BlobStore store) {
      super(store);
    }

    @Override
    public Blob blob(BlobRef ref) {
      Blob there = super.blob(ref);
      return new Blob() {
        @Override
        public BlobRef ref() {
          return ref;
        }

        @Override
        public RangeReader open(ByteRange range) throws StorageException {
          reads.incrementAndGet();
          if (hangs) {
            await(timeout);
            throw new StorageException.StorageUnavailable("bucket", "timed out", null);
          }
          return there.open(range);
        }

        @Override
        public Wait waitToOpen() {
          return Wait.REMOTE;
        }

        @Override
        public Optional<FileRegion> fileRegion(ByteRange range) {
          return Optional.empty();
        }
      };
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
