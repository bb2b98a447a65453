package io.artifactserver.rest.delivery.body;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.artifactserver.core.blob.Blob;
import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.InMemoryBlobStore;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.rest.delivery.body.UnmappedBlobStore.Fault;
import io.artifactserver.rest.http.MultipartByteRanges;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReadBodyTest {
  private static final int LENGTH = 1_000_003;

  private final byte[] content = new byte[LENGTH];
  private final CountingPool pool = new CountingPool();
  private final Semaphore buffers = new Semaphore(1);
  private final BlobStore store = new InMemoryBlobStore();
  private BlobRef ref = new BlobRef("0".repeat(32), 0);

  @BeforeEach
  void storeContent() throws StorageException {
    new Random(3).nextBytes(content);
    try (BlobUpload upload = store.begin()) {
      upload.write(ByteBuffer.wrap(content));
      ref = upload.commit();
    }
  }

  @ParameterizedTest
  @ValueSource(
      ints = {
        1,
        ReadBody.LARGE_LENGTH - 1,
        ReadBody.LARGE_LENGTH,
        ReadBody.LARGE_LENGTH + 1,
        10 * ReadBody.LARGE_LENGTH,
        LENGTH
      })
  void plainRange(int length) throws StorageException {
    ByteRange range = new ByteRange(LENGTH - length, length);
    UnmappedBlobStore read = new UnmappedBlobStore(store, Fault.NONE, 0, 10_000);
    try (BodySource body = opened(read, range)) {
      assertThat(ExpectedBody.drain(body))
          .isEqualTo(Arrays.copyOfRange(content, LENGTH - length, LENGTH));
    }
    requireAllGivenBack(read, 1);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void partsOfAllSizes(long seed) throws StorageException {
    Random random = new Random(seed);
    for (int round = 0; round < 20; round++) {
      UnmappedBlobStore read =
          new UnmappedBlobStore(store, Fault.NONE, 0, random.nextInt(1, 100_000));
      MultipartByteRanges multipart =
          new MultipartByteRanges(ExpectedBody.ranges(random, LENGTH), "application/x", LENGTH);
      try (BodySource body = opened(read, multipart)) {
        assertThat(ExpectedBody.drain(body)).isEqualTo(ExpectedBody.of(multipart, content));
      }
      requireAllGivenBack(read, Run.of(multipart.ranges(), 1).size());
    }
  }

  /** A body fails with any fault of its reader: it never ends as if it were whole. */
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void readerThatFailsInMidBody(Fault fault) throws StorageException {
    UnmappedBlobStore read = new UnmappedBlobStore(store, fault, 500_000, 10_000);
    try (BodySource body = opened(read, ByteRange.whole(LENGTH))) {
      assertThatThrownBy(() -> ExpectedBody.drain(body))
          .isInstanceOfAny(StorageException.BlobCorrupt.class, IllegalStateException.class);
    }
    requireAllGivenBack(read, 1);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void readerThatFailsAtOnce(Fault fault) throws StorageException {
    UnmappedBlobStore read = new UnmappedBlobStore(store, fault, 0, 10_000);
    try (BodySource body = opened(read, ByteRange.whole(LENGTH))) {
      assertThatThrownBy(body::prepare)
          .isInstanceOfAny(StorageException.BlobCorrupt.class, IllegalStateException.class);
    }
    requireAllGivenBack(read, 1);
  }

  @Test
  void blobThatIsMissing() throws StorageException {
    store.delete(ref);
    UnmappedBlobStore read = new UnmappedBlobStore(store, Fault.NONE, 0, 10_000);
    assertThatThrownBy(() -> opened(read, ByteRange.whole(LENGTH)))
        .isInstanceOf(StorageException.BlobNotFound.class);
    requireAllGivenBack(read, 0);
  }

  @Test
  void abortedBodyGivesEverythingBack() throws StorageException {
    UnmappedBlobStore read = new UnmappedBlobStore(store, Fault.NONE, 0, 10_000);
    try (BodySource body = opened(read, ByteRange.whole(LENGTH))) {
      body.prepare();
      assertThat(body.next(Throttle.ANY).remaining()).isEqualTo(ReadBody.LARGE_LENGTH);
    }
    requireAllGivenBack(read, 1);
  }

  /** 2,000 of them, each in the middle of a piece, must not hold 64 KiB each. */
  @Test
  void slowConnectionHoldsASmallBuffer() throws StorageException {
    UnmappedBlobStore read = new UnmappedBlobStore(store, Fault.NONE, 0, 100_000);
    try (BodySource slow = opened(read, ByteRange.whole(LENGTH));
        BodySource other = opened(read, ByteRange.whole(LENGTH))) {
      slow.prepare();
      assertThat(slow.next(Throttle.ANY).remaining()).isEqualTo(ReadBody.LARGE_LENGTH);
      slow.slowDown();
      other.prepare();
      assertThat(other.next(Throttle.ANY).remaining())
          .as("takes over the only place")
          .isEqualTo(ReadBody.LARGE_LENGTH);
      slow.prepare();
      assertThat(slow.next(Throttle.ANY).remaining()).isEqualTo(ReadBody.SMALL_LENGTH);
      assertThat(ExpectedBody.drain(slow))
          .isEqualTo(
              Arrays.copyOfRange(content, ReadBody.LARGE_LENGTH + ReadBody.SMALL_LENGTH, LENGTH));
    }
    requireAllGivenBack(read, 2);
  }

  @Test
  void withoutAPlaceForALargeBufferTheBytesAreTheSame() throws StorageException {
    assertThat(buffers.tryAcquire()).isTrue();
    Random random = new Random(5);
    UnmappedBlobStore read = new UnmappedBlobStore(store, Fault.NONE, 0, 100_000);
    MultipartByteRanges multipart =
        new MultipartByteRanges(ExpectedBody.ranges(random, LENGTH), "application/x", LENGTH);
    try (BodySource body = opened(read, multipart)) {
      assertThat(ExpectedBody.drain(body)).isEqualTo(ExpectedBody.of(multipart, content));
    }
    buffers.release();
    requireAllGivenBack(read, Run.of(multipart.ranges(), 1).size());
  }

  private ReadBody body(UnmappedBlobStore read, List<ByteRange> ranges, Iterator<BodyPart> parts) {
    Blob blob = read.blob(ref);
    return new ReadBody(blob, Run.of(ranges, blob.pieceLength()), parts, pool, buffers);
  }

  private ReadBody opened(UnmappedBlobStore read, ByteRange range) throws StorageException {
    return opened(body(read, List.of(range), BodyPart.of(range)));
  }

  private ReadBody opened(UnmappedBlobStore read, MultipartByteRanges multipart)
      throws StorageException {
    return opened(body(read, multipart.ranges(), BodyPart.of(multipart)));
  }

  private static ReadBody opened(ReadBody body) throws StorageException {
    try {
      body.open();
      return body;
    } catch (StorageException e) {
      body.close();
      throw e;
    }
  }

  private void requireAllGivenBack(UnmappedBlobStore read, int readers) {
    assertThat(read.opened()).isEqualTo(readers);
    assertThat(read.closed()).isEqualTo(readers);
    assertThat(pool.released()).isEqualTo(pool.acquired());
    assertThat(buffers.tryAcquire()).as("the place for a large buffer is free again").isTrue();
    buffers.release();
  }
}
