package io.artifactserver.core.blob;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.artifactserver.core.blob.BlobStore.StoredBlob;
import io.artifactserver.core.range.ByteRange;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The behaviour of every {@link BlobStore} and of every decorator of one. A backend's test extends
 * this class and answers the hooks; it never changes the suite. Bytes are compared, not counted.
 * Blobs come and go here; the classes above read them.
 */
public abstract class BlobStoreContract extends ResumedUploadContract {
  @Test
  void storesTheEmptyBlob() throws StorageException {
    BlobRef ref = store(new byte[0]);
    assertThat(ref.length()).isZero();
    assertThat(read(store().blob(ref), ByteRange.whole(0), ByteBuffer.allocate(10))).isEmpty();
    assertThat(listed()).containsExactly(ref);
    store().delete(ref);
    assertThat(listed()).isEmpty();
  }

  @Test
  void showsNothingBeforeTheCommit() throws StorageException {
    byte[] content = content((int) unit() + 5, 6);
    try (BlobUpload upload = store().begin()) {
      upload.write(ByteBuffer.wrap(content));
      assertThat(listed()).isEmpty();
      String key = upload.key();
      BlobRef ref = upload.commit();
      assertThat(ref.key()).isEqualTo(key);
      assertThat(listed()).containsExactly(ref);
    }
    assertThat(listed()).hasSize(1);
  }

  @Test
  void takesTheKeyOfAnotherStoreOnce() throws StorageException {
    String key = "00112233445566778899aabbccddeeff";
    byte[] content = content((int) unit() + 9, 20);
    BlobRef ref;
    try (BlobUpload upload = store().begin(key)) {
      assertThat(upload.key()).isEqualTo(key);
      upload.write(ByteBuffer.wrap(content));
      ref = upload.commit();
      assertThat(ref.key()).isEqualTo(key);
    }
    assertThatExceptionOfType(StorageException.class)
        .isThrownBy(() -> {
          try (BlobUpload upload = store().begin(key)) {
            upload.write(ByteBuffer.wrap(new byte[] {1}));
            upload.commit();
          }
        });
    assertBytes(readWhole(ref), content, ByteRange.whole(content.length));
    assertThat(listed()).containsExactly(ref);
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> store().begin("../escape").close());
  }

  @Test
  void keepsNothingOfAnUploadThatIsNotCommitted() throws StorageException {
    try (BlobUpload upload = store().begin()) {
      upload.write(ByteBuffer.wrap(content((int) unit() * 2 + 1, 7)));
    }
    try (BlobUpload upload = store().begin()) {
      assertThat(upload).isNotNull();
    }
    BlobUpload twice = store().begin();
    twice.close();
    twice.close();
    assertThat(listed()).isEmpty();
    assertThat(store().removeAbandonedUploads(Instant.now().plus(Duration.ofDays(1)))).isZero();
  }

  @Test
  void aCommittedUploadIsOver() throws StorageException {
    byte[] content = content(10, 8);
    BlobRef ref;
    try (BlobUpload upload = store().begin()) {
      upload.write(ByteBuffer.wrap(content));
      ref = upload.commit();
      assertThatIllegalStateException()
          .isThrownBy(() -> upload.write(ByteBuffer.wrap(new byte[] {1})));
      assertThatIllegalStateException().isThrownBy(upload::commit);
    }
    assertBytes(readWhole(ref), content, ByteRange.whole(10));
  }

  @Test
  void aClosedUploadIsOver() throws StorageException {
    BlobUpload upload = store().begin();
    upload.close();
    assertThatIllegalStateException()
        .isThrownBy(() -> upload.write(ByteBuffer.wrap(new byte[] {1})));
    assertThatIllegalStateException().isThrownBy(upload::commit);
    assertThat(listed()).isEmpty();
  }

  @Test
  void takesBuffersOfAnySizeAndKind() throws StorageException {
    byte[] content = content((int) unit() * 2 + 77, 10);
    for (int size : new int[] {977, 4096, (int) unit(), content.length}) {
      for (IntFunction<ByteBuffer> kind : BUFFERS) {
        try (BlobUpload upload = store().begin()) {
          upload.write(ByteBuffer.allocate(0));
          for (int position = 0; position < content.length; position += size) {
            int length = Math.min(size, content.length - position);
            ByteBuffer bytes =
                kind.apply(length + 9).position(3).put(content, position, length).flip();
            bytes.position(3);
            upload.write(bytes.asReadOnlyBuffer());
            upload.write(ByteBuffer.allocate(0));
          }
          assertBytes(readWhole(upload.commit()), content, ByteRange.whole(content.length));
        }
      }
    }
  }

  @Test
  void consumesTheBufferItWrites() throws StorageException {
    try (BlobUpload upload = store().begin()) {
      ByteBuffer bytes = ByteBuffer.wrap(content(1000, 11));
      upload.write(bytes);
      assertThat(bytes.hasRemaining()).isFalse();
    }
  }

  @Test
  void deletingIsRepeatable() throws StorageException {
    BlobRef ref = store(content(10, 12));
    BlobRef other = store(content(11, 13));
    store().delete(ref);
    store().delete(ref);
    store().delete(new BlobRef("fedcba9876543210fedcba9876543210", 1));
    assertThat(listed()).containsExactly(other);
    assertThatExceptionOfType(StorageException.BlobNotFound.class)
        .isThrownBy(() -> store().blob(ref).open(ByteRange.whole(10)).close());
  }

  @Test
  void theSameBytesTwiceAreTwoBlobs() throws StorageException {
    byte[] content = content(10, 14);
    BlobRef first = store(content);
    BlobRef second = store(content);
    assertThat(first.key()).isNotEqualTo(second.key());
    store().delete(first);
    assertBytes(readWhole(second), content, ByteRange.whole(10));
  }

  @Test
  void uploadsDoNotDisturbEachOther() throws Exception {
    List<Callable<BlobRef>> uploads = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      int seed = i;
      uploads.add(() -> store(content(10_000 + seed, seed)));
    }
    List<BlobRef> refs = together(uploads);
    for (int i = 0; i < refs.size(); i++) {
      byte[] content = content(10_000 + i, i);
      assertBytes(readWhole(refs.get(i)), content, ByteRange.whole(content.length));
    }
    assertThat(listed()).isEqualTo(new HashSet<>(refs));
  }

  @Test
  void listsExactlyTheCommittedBlobs() throws StorageException {
    Instant before = Instant.now().minus(Duration.ofMinutes(1));
    Set<BlobRef> expected = new HashSet<>();
    for (int length : new int[] {0, 1, 1000, (int) unit(), (int) unit() + 1}) {
      expected.add(store(content(length, length)));
    }
    BlobRef deleted = store(content(5, 18));
    store().delete(deleted);
    try (BlobUpload open = store().begin();
        Stream<StoredBlob> blobs = store().list()) {
      open.write(ByteBuffer.wrap(content(10, 19)));
      List<StoredBlob> stored = blobs.toList();
      assertThat(stored.stream().map(StoredBlob::ref))
          .containsExactlyInAnyOrderElementsOf(expected);
      assertThat(stored.stream().map(StoredBlob::storedAt))
          .allSatisfy(storedAt ->
              assertThat(storedAt).isBetween(before, Instant.now().plus(Duration.ofMinutes(1))));
    }
  }

  @Test
  void listingMayBeLeftHalfway() throws StorageException {
    for (int i = 0; i < 5; i++) {
      store(content(i, i));
    }
    try (Stream<StoredBlob> blobs = store().list()) {
      assertThat(blobs.iterator().next()).isNotNull();
    }
    assertThat(listed()).hasSize(5);
  }

  @Test
  void removesAbandonedUploadsAndNoOthers() throws Exception {
    assumeTrue(supportsAbandonedUploads(), "This store's own test abandons its uploads");
    Instant now = Instant.now();
    BlobRef committed = store(content(10, 20));
    abandonUpload(now.minus(Duration.ofHours(2)));
    abandonUpload(now.minus(Duration.ofHours(3)));
    abandonUpload(now);
    assertThat(listed()).containsExactly(committed);
    assertThat(store().removeAbandonedUploads(now.minus(Duration.ofHours(1)))).isEqualTo(2);
    assertThat(store().removeAbandonedUploads(now.minus(Duration.ofHours(1)))).isZero();
    assertThat(store().removeAbandonedUploads(now.plus(Duration.ofHours(1)))).isEqualTo(1);
    assertThat(listed()).containsExactly(committed);
  }
}
