package io.artifactserver.storage.encrypted;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.artifactserver.core.blob.Blob;
import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.DataKeyStore;
import io.artifactserver.core.blob.DataKeyStore.WrappedDataKey;
import io.artifactserver.core.blob.ForwardingDataKeyStore;
import io.artifactserver.core.blob.InMemoryBlobStore;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.encryption.RingKeys.RingKey;
import io.artifactserver.core.encryption.RingKeys.RingKeyException;
import io.artifactserver.core.range.ByteRange;
import java.nio.ByteBuffer;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Blobs are read and rewrapped while the ring is rotated. */
class KeyRotationTest extends KeyRingFixture {
  private static final int SEGMENT_LENGTH = 4096;
  private final InMemoryBlobStore inner = new InMemoryBlobStore();

  @Test
  void aKeyIsRemovedOnlyWhenNothingNeedsIt() throws Exception {
    KeyRing ring = newRing();
    StoredRingKeys ringKeys = new StoredRingKeys(ring, dataKeys, InstantSource.system());
    EncryptedBlobStore store = new EncryptedBlobStore(inner, dataKeys, ring, SEGMENT_LENGTH);
    byte[] content = content(1, 10_000);
    BlobRef ref = store(store, content);
    long first = ring.keyset().primary();
    assertThat(ringKeys.list())
        .containsExactly(new RingKey(first, true, ring.keyset().created(first), 1));
    assertThatExceptionOfType(RingKeyException.class)
        .isThrownBy(() -> ringKeys.remove(first))
        .withMessageContaining("primary");
    long second = ringKeys.rotate().id();
    assertThatExceptionOfType(RingKeyException.class)
        .isThrownBy(() -> ringKeys.remove(first))
        .withMessageContaining("still needed by 1 data keys");
    assertThatExceptionOfType(RingKeyException.class)
        .isThrownBy(() -> ringKeys.remove(12345))
        .withMessageContaining("no key 12345");
    byte[] sealed = inner.bytes(ref.key());
    assertThat(ringKeys.rewrap(100)).isEqualTo(1);
    assertThat(ringKeys.rewrap(100)).isZero();
    assertThat(inner.bytes(ref.key())).isEqualTo(sealed);
    ringKeys.remove(first);
    assertThat(ringKeys.list())
        .singleElement()
        .satisfies(key -> {
          assertThat(key.id()).isEqualTo(second);
          assertThat(key.dataKeys()).isEqualTo(1);
        });
    KeyRing restarted = KeyRing.of(KeyRingFile.of(folder.resolve("keys.json"), ""));
    assertThat(read(new EncryptedBlobStore(inner, dataKeys, restarted, SEGMENT_LENGTH), ref))
        .isEqualTo(content);
  }

  /**
   * Wrapped again by a key that is no longer primary, and not yet in the database: nobody counts it
   * as that key's, and the key must stay nevertheless.
   */
  @Test
  void aKeyIsNotRemovedWhileAWrappingByItIsOnItsWay() throws Exception {
    KeyRing ring = newRing();
    EncryptedBlobStore store = new EncryptedBlobStore(inner, dataKeys, ring, SEGMENT_LENGTH);
    byte[] content = content(4, 5000);
    BlobRef ref = store(store, content);
    StoredRingKeys operator = new StoredRingKeys(ring, dataKeys, InstantSource.system());
    long second = operator.rotate().id();
    AtomicReference<Thread> removal = new AtomicReference<>();
    DataKeyStore slow =
        new ForwardingDataKeyStore(dataKeys) {
          @Override
          public boolean replace(WrappedDataKey before, WrappedDataKey after) {
            assertThat(after.ringKeyId()).isEqualTo(second);
            removal.set(
                Thread.ofPlatform()
                    .start(() -> {
                      try {
                        operator.rotate();
                        operator.remove(second);
                      } catch (RingKeyException e) {
                        // As it should: the key is needed by then.
                      }
                    }));
            Thread thread = removal.get();
            eventually(
                "the removal waits or has ended",
                () ->
                    thread.getState() == Thread.State.WAITING
                        || thread.getState() == Thread.State.TERMINATED);
            return super.replace(before, after);
          }
        };
    assertThat(new StoredRingKeys(ring, slow, InstantSource.system()).rewrap(10)).isEqualTo(1);
    removal.get().join();
    KeyRing restarted = KeyRing.of(KeyRingFile.of(folder.resolve("keys.json"), ""));
    assertThat(read(new EncryptedBlobStore(inner, dataKeys, restarted, SEGMENT_LENGTH), ref))
        .isEqualTo(content);
  }

  @Test
  void whatACrashLeavesHalfRewrappedIsReadAndFinished() throws Exception {
    KeyRing ring = newRing();
    EncryptedBlobStore store = new EncryptedBlobStore(inner, dataKeys, ring, SEGMENT_LENGTH);
    List<BlobRef> refs = new ArrayList<>();
    for (int i = 0; i < 25; i++) {
      refs.add(store(store, content(i, 5000)));
    }
    StoredRingKeys ringKeys = new StoredRingKeys(ring, dataKeys, InstantSource.system());
    ringKeys.rotate();
    assertThat(ringKeys.rewrap(10)).isEqualTo(10);
    // Killed here: another process starts with what is in the file and the database.
    KeyRing restarted = KeyRing.of(KeyRingFile.of(folder.resolve("keys.json"), ""));
    EncryptedBlobStore after = new EncryptedBlobStore(inner, dataKeys, restarted, SEGMENT_LENGTH);
    for (int i = 0; i < refs.size(); i++) {
      assertThat(read(after, refs.get(i))).isEqualTo(content(i, 5000));
    }
    StoredRingKeys resumed = new StoredRingKeys(restarted, dataKeys, InstantSource.system());
    assertThat(resumed.rewrap(10)).isEqualTo(10);
    assertThat(resumed.rewrap(10)).isEqualTo(5);
    assertThat(resumed.rewrap(10)).isZero();
  }

  @Test
  void aKeyThatAnotherProcessAddedIsFound() throws Exception {
    KeyRing ring = newRing();
    KeyRing other = KeyRing.of(KeyRingFile.of(folder.resolve("keys.json"), ""));
    new StoredRingKeys(other, dataKeys, InstantSource.system()).rotate();
    byte[] content = content(3, 5000);
    BlobRef ref = store(new EncryptedBlobStore(inner, dataKeys, other, SEGMENT_LENGTH), content);
    assertThat(read(new EncryptedBlobStore(inner, dataKeys, ring, SEGMENT_LENGTH), ref))
        .isEqualTo(content);
  }

  @Test
  void downloadsDoNotNoticeARotation() throws Exception {
    KeyRing ring = newRing();
    StoredRingKeys ringKeys = new StoredRingKeys(ring, dataKeys, InstantSource.system());
    EncryptedBlobStore store = new EncryptedBlobStore(inner, dataKeys, ring, SEGMENT_LENGTH);
    List<BlobRef> refs = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      refs.add(store(store, content(i, 50_000)));
    }
    AtomicBoolean isOver = new AtomicBoolean();
    try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Integer>> downloads = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        int number = i;
        downloads.add(
            executor.submit(() -> {
              int runs = 0;
              while (!isOver.get() || runs == 0) {
                // Without anything remembered, so that each asks for its data key.
                EncryptedBlobStore fresh =
                    new EncryptedBlobStore(inner, dataKeys, ring, SEGMENT_LENGTH);
                assertThat(read(fresh, refs.get(number))).isEqualTo(content(number, 50_000));
                runs++;
              }
              return runs;
            }));
      }
      for (int rotation = 0; rotation < 5; rotation++) {
        long retired = ring.keyset().primary();
        ringKeys.rotate();
        int rewrapped = ringKeys.rewrap(10);
        while (rewrapped > 0) {
          rewrapped = ringKeys.rewrap(10);
        }
        ringKeys.remove(retired);
      }
      isOver.set(true);
      for (Future<Integer> download : downloads) {
        assertThat(download.get()).isPositive();
      }
    }
    assertThat(ring.keyset().ids()).hasSize(1);
  }

  /** A download has read how its data key is wrapped, and only then is the ring rotated. */
  @Test
  void aKeyThatIsRemovedBetweenLookAndUseIsLookedUpAgain() throws Exception {
    KeyRing ring = newRing();
    StoredRingKeys operator = new StoredRingKeys(ring, dataKeys, InstantSource.system());
    byte[] content = content(5, 5000);
    BlobRef ref = store(new EncryptedBlobStore(inner, dataKeys, ring, SEGMENT_LENGTH), content);
    AtomicInteger looks = new AtomicInteger();
    DataKeyStore slow =
        new ForwardingDataKeyStore(dataKeys) {
          @Override
          public Optional<WrappedDataKey> find(String blobKey) {
            Optional<WrappedDataKey> found = super.find(blobKey);
            if (looks.getAndIncrement() == 0) {
              retire(ring, operator);
            }
            return found;
          }
        };
    assertThat(read(new EncryptedBlobStore(inner, slow, ring, SEGMENT_LENGTH), ref))
        .isEqualTo(content);
    assertThat(looks).hasValue(2);
  }

  /** Two servers rewrap at the same time, and one of them has removed the old key already. */
  @Test
  void aKeyThatAnotherServerRewrappedAndRemovedIsPassedOver() throws Exception {
    KeyRing ring = newRing();
    StoredRingKeys other = new StoredRingKeys(ring, dataKeys, InstantSource.system());
    byte[] content = content(6, 5000);
    BlobRef ref = store(new EncryptedBlobStore(inner, dataKeys, ring, SEGMENT_LENGTH), content);
    other.rotate();
    DataKeyStore slow =
        new ForwardingDataKeyStore(dataKeys) {
          @Override
          public List<WrappedDataKey> notWrappedBy(long ringKeyId, String after, int limit) {
            List<WrappedDataKey> page = super.notWrappedBy(ringKeyId, after, limit);
            retire(ring, other);
            return page;
          }
        };
    assertThat(new StoredRingKeys(ring, slow, InstantSource.system()).rewrap(10)).isZero();
    assertThat(read(new EncryptedBlobStore(inner, dataKeys, ring, SEGMENT_LENGTH), ref))
        .isEqualTo(content);
  }

  @Test
  void aLostDataKeyStopsTheRewrappingByName() throws Exception {
    KeyRing ring = newRing();
    WrappedDataKey noise = new WrappedDataKey("0".repeat(32), new byte[50], 1);
    dataKeys.put(noise);
    assertThatExceptionOfType(StorageException.BlobCorrupt.class)
        .isThrownBy(() -> new StoredRingKeys(ring, dataKeys, InstantSource.system()).rewrap(10))
        .withMessageContaining(noise.blobKey());
  }

  /** Rotates, wraps everything again, and removes every key but the primary one. */
  private static void retire(KeyRing ring, StoredRingKeys operator) {
    try {
      operator.rotate();
      assertThat(operator.rewrap(10)).isEqualTo(1);
      for (long id : List.copyOf(ring.keyset().ids())) {
        if (id != ring.keyset().primary()) {
          operator.remove(id);
        }
      }
    } catch (RingKeyException | StorageException e) {
      throw new AssertionError(e);
    }
  }

  private KeyRing newRing() {
    assertThat(keys("create")).isZero();
    return KeyRing.of(KeyRingFile.of(folder.resolve("keys.json"), ""));
  }

  private static BlobRef store(EncryptedBlobStore store, byte[] content) throws StorageException {
    try (BlobUpload upload = store.begin()) {
      upload.write(ByteBuffer.wrap(content));
      return upload.commit();
    }
  }

  private static byte[] read(EncryptedBlobStore store, BlobRef ref) throws StorageException {
    Blob blob = store.blob(ref);
    ByteBuffer target = ByteBuffer.allocate((int) ref.length());
    try (RangeReader reader = blob.open(ByteRange.whole(ref.length()))) {
      while (target.hasRemaining() && reader.read(target) >= 0) {
        // Reads on.
      }
    }
    return target.array();
  }

  private static byte[] content(long seed, int length) {
    byte[] content = new byte[length];
    new SplittableRandom(seed).nextBytes(content);
    return content;
  }
}
