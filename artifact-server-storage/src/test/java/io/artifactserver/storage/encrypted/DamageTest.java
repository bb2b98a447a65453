package io.artifactserver.storage.encrypted;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.crypto.tink.subtle.AesGcmHkdfStreaming;
import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.DataKeyStore.WrappedDataKey;
import io.artifactserver.core.blob.InMemoryBlobStore;
import io.artifactserver.core.blob.InMemoryDataKeyStore;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.StorageException.BlobCorrupt;
import io.artifactserver.core.range.ByteRange;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The damage that an attacker or a disk may do to a ciphertext, beside stock Tink's verdict. */
class DamageTest {
  private static final int SEGMENT_LENGTH = 128;

  private final InMemoryBlobStore inner = new InMemoryBlobStore();
  private final InMemoryDataKeyStore dataKeys = new InMemoryDataKeyStore();
  private final KeyRing ring = KeyRing.ephemeral();
  private final EncryptedBlobStore store = newStore();

  @Test
  void everyFlippedByteIsDetectedAndNoByteOfItsSegmentIsDelivered() throws Exception {
    byte[] content = content(400);
    BlobRef ref = store(content);
    byte[] sealed = sealed(ref);
    SegmentLayout layout = new SegmentLayout(SEGMENT_LENGTH, content.length);
    assertThat(layout.segments()).isEqualTo(5);
    for (int i = 0; i < sealed.length; i++) {
      byte[] damaged = sealed.clone();
      damaged[i] ^= (byte) (1 << (i % 8));
      replace(ref, damaged);
      int segment = i / SEGMENT_LENGTH;
      int goodUpTo = i < SegmentHeader.LENGTH ? 0 : (int) layout.plainStart(segment);
      requireDamaged(ref, content, goodUpTo);
    }
    replace(ref, sealed);
    assertThat(read(newStore(), ref)).isEqualTo(content);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 56, 55, 84, 200, 400})
  void everyTruncationAndExtensionIsDetected(int length) throws Exception {
    byte[] content = content(length);
    BlobRef ref = store(content);
    byte[] sealed = sealed(ref);
    for (int cut = 0; cut < sealed.length; cut++) {
      replace(ref, Arrays.copyOf(sealed, cut));
      requireDamaged(ref, content, 0);
    }
    for (int more : new int[] {1, 16, SEGMENT_LENGTH}) {
      replace(ref, Arrays.copyOf(sealed, sealed.length + more));
      requireDamaged(ref, content, 0);
    }
  }

  /** The catalog, too, may be told a length at which a shorter blob would end on a segment. */
  @Test
  void aLengthThatEndsAtASegmentBoundaryIsDetected() throws Exception {
    byte[] content = content(400);
    BlobRef ref = store(content);
    byte[] sealed = sealed(ref);
    for (long segments = 1; segments <= 3; segments++) {
      SegmentLayout shorter = SegmentLayout.ofCiphertext(SEGMENT_LENGTH, segments * SEGMENT_LENGTH);
      BlobRef cut = new BlobRef(ref.key(), shorter.plainLength(), true);
      replace(cut, Arrays.copyOf(sealed, (int) shorter.ciphertextLength()));
      requireDamaged(cut, content, (int) shorter.plainStart(segments - 1));
    }
  }

  @Test
  void swappedSegmentsAreDetected() throws Exception {
    byte[] content = content(400);
    BlobRef ref = store(content);
    byte[] sealed = sealed(ref);
    byte[] swapped = sealed.clone();
    System.arraycopy(sealed, SEGMENT_LENGTH, swapped, 2 * SEGMENT_LENGTH, SEGMENT_LENGTH);
    System.arraycopy(sealed, 2 * SEGMENT_LENGTH, swapped, SEGMENT_LENGTH, SEGMENT_LENGTH);
    replace(ref, swapped);
    requireDamaged(ref, content, SegmentLayout.firstPlainCapacity(SEGMENT_LENGTH));
  }

  @Test
  void swappedBlobsAreDetectedEvenWithTheirKeys() throws Exception {
    byte[] content = content(400);
    BlobRef one = store(content);
    BlobRef other = store(content);
    byte[] sealed = sealed(one);
    replace(one, sealed(other));
    requireDamaged(one, content, 0);
    replace(other, sealed);
    WrappedDataKey keyOfOne = dataKeys.find(one.key()).orElseThrow();
    dataKeys.put(new WrappedDataKey(other.key(), keyOfOne.wrapped(), keyOfOne.ringKeyId()));
    requireDamaged(other, content, 0);
  }

  @Test
  void anotherRingReadsNothing() throws Exception {
    BlobRef ref = store(content(400));
    EncryptedBlobStore stranger =
        new EncryptedBlobStore(inner, dataKeys, KeyRing.ephemeral(), SEGMENT_LENGTH);
    assertThatExceptionOfType(BlobCorrupt.class)
        .isThrownBy(() -> read(stranger, ref))
        .withMessageContaining(ref.key())
        .satisfies(e -> assertThat(e.ref()).isEqualTo(ref));
  }

  @Test
  void aBlobWithoutItsDataKeyIsGone() throws Exception {
    BlobRef ref = store(content(400));
    dataKeys.delete(ref.key());
    assertThatExceptionOfType(StorageException.BlobNotFound.class)
        .isThrownBy(() -> read(newStore(), ref));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 55, 56, 57, 168, 169, 400, 5000})
  void stockTinkReadsWhatWeWrite(int length) throws Exception {
    byte[] content = content(length);
    BlobRef ref = store(content);
    byte[] sealed = sealed(ref);
    AesGcmHkdfStreaming tink = tink(ref.key());
    byte[] associatedData = SegmentKey.associatedData(ref.key());
    InputStream behindTheHeader =
        new ByteArrayInputStream(
            sealed, SegmentHeader.OWN_LENGTH, sealed.length - SegmentHeader.OWN_LENGTH);
    assertThat(tink.newDecryptingStream(behindTheHeader, associatedData).readAllBytes())
        .isEqualTo(content);
  }

  @Test
  void stockTinkSeeksInWhatWeWrite(@TempDir Path folder) throws Exception {
    byte[] content = content(5000);
    BlobRef ref = store(content);
    Path file = Files.write(folder.resolve("blob"), sealed(ref));
    // The seekable channel wants the whole file: it leaves out the first 16 bytes by itself.
    try (FileChannel channel = FileChannel.open(file);
        SeekableByteChannel plain =
            tink(ref.key())
                .newSeekableDecryptingChannel(channel, SegmentKey.associatedData(ref.key()))) {
      assertThat(plain.size()).isEqualTo(content.length);
      plain.position(3000);
      ByteBuffer target = ByteBuffer.allocate(1000);
      while (target.hasRemaining() && plain.read(target) >= 0) {
        // Reads on.
      }
      assertThat(target.array()).isEqualTo(Arrays.copyOfRange(content, 3000, 4000));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 55, 56, 57, 168, 169, 400, 5000})
  void weReadWhatStockTinkWrites(int length) throws Exception {
    byte[] content = content(length);
    BlobRef ours = store(content);
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    file.write(sealed(ours), 0, SegmentHeader.OWN_LENGTH);
    try (OutputStream stream =
        tink(ours.key()).newEncryptingStream(file, SegmentKey.associatedData(ours.key()))) {
      stream.write(content);
    }
    assertThat(file.size()).isEqualTo(sealed(ours).length);
    replace(ours, file.toByteArray());
    assertThat(read(newStore(), ours)).isEqualTo(content);
  }

  private EncryptedBlobStore newStore() {
    return new EncryptedBlobStore(inner, dataKeys, ring, SEGMENT_LENGTH);
  }

  private AesGcmHkdfStreaming tink(String blobKey) throws GeneralSecurityException {
    try (DataKey dataKey = ring.unwrap(dataKeys.find(blobKey).orElseThrow())) {
      return new AesGcmHkdfStreaming(
          dataKey.bytes().clone(), "HmacSha256", 32, SEGMENT_LENGTH, SegmentHeader.OWN_LENGTH);
    }
  }

  private void requireDamaged(BlobRef ref, byte[] content, int goodUpTo) {
    ByteBuffer delivered = ByteBuffer.allocate(content.length + 1);
    // A store of its own each time: nothing may depend on what was remembered.
    assertThatExceptionOfType(BlobCorrupt.class)
        .isThrownBy(() -> readInto(newStore(), ref, delivered));
    assertThat(delivered.position()).isEqualTo(goodUpTo);
    assertThat(Arrays.copyOf(delivered.array(), goodUpTo))
        .isEqualTo(Arrays.copyOf(content, goodUpTo));
    byte[] untouched = new byte[delivered.capacity() - goodUpTo];
    assertThat(Arrays.copyOfRange(delivered.array(), goodUpTo, delivered.capacity()))
        .isEqualTo(untouched);
  }

  private static void readInto(EncryptedBlobStore from, BlobRef ref, ByteBuffer target)
      throws StorageException {
    try (RangeReader reader = from.blob(ref).open(ByteRange.whole(ref.length()))) {
      // Small buffers, so that what was good is delivered before the damage shows.
      ByteBuffer small = ByteBuffer.allocate(16);
      while (reader.read(small) >= 0) {
        target.put(small.flip());
        small.clear();
      }
    }
  }

  private static byte[] read(EncryptedBlobStore from, BlobRef ref) throws StorageException {
    ByteBuffer target = ByteBuffer.allocate((int) ref.length());
    readInto(from, ref, target);
    assertThat(target.hasRemaining()).isFalse();
    return target.array();
  }

  private BlobRef store(byte[] content) throws StorageException {
    try (BlobUpload upload = store.begin()) {
      upload.write(ByteBuffer.wrap(content));
      return upload.commit();
    }
  }

  private byte[] sealed(BlobRef ref) throws IOException {
    return inner.bytes(ref.key());
  }

  private void replace(BlobRef ref, byte[] sealed) {
    inner.replace(ref.key(), sealed);
  }

  private static byte[] content(int length) {
    byte[] content = new byte[length];
    new Random(length).nextBytes(content);
    // No zeros: they stand for what was not delivered.
    for (int i = 0; i < length; i++) {
      content[i] = content[i] == 0 ? 1 : content[i];
    }
    return content;
  }
}
