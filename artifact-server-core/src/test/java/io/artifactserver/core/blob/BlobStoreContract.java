package io.artifactserver.core.blob;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.artifactserver.core.blob.BlobStore.StoredBlob;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.core.range.RangeCases;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * What every {@link BlobStore} and every decorator of one does. A backend's test extends this class
 * and answers the hooks; it never changes the suite. Bytes are compared, not counted.
 */
public abstract class BlobStoreContract {
  private static final List<IntFunction<ByteBuffer>> BUFFERS =
      List.of(ByteBuffer::allocate, ByteBuffer::allocateDirect);

  /** The store under test; the same one throughout a test, an empty one for each. */
  protected abstract BlobStore store();

  /** Length in bytes of what the store reads or encrypts at once; its edges are tested. */
  protected long unit() {
    return 64 * 1024;
  }

  /** Whether {@link Blob#fileRegion} is present. */
  protected boolean supportsFileRegions() {
    return true;
  }

  /** Whether {@link #createSparseBlob} is implemented. */
  protected boolean supportsSparseBlobs() {
    return false;
  }

  /** Whether {@link #abandonUpload} is implemented. */
  protected boolean supportsAbandonedUploads() {
    return false;
  }

  /**
   * Creates a blob of zeros in no time, but for {@code bytes} at {@code position}.
   *
   * @param length in bytes
   */
  protected BlobRef createSparseBlob(long length, long position, byte[] bytes) throws IOException {
    throw new UnsupportedOperationException("supportsSparseBlobs() is false");
  }

  /** Leaves behind what an upload leaves whose process was killed. */
  protected void abandonUpload(Instant begunAt) throws IOException {
    throw new UnsupportedOperationException("supportsAbandonedUploads() is false");
  }

  @Test
  void hasAShortName() {
    assertThat(store().name()).matches("[a-z][a-z0-9-]*");
  }

  @Test
  void passesItsOwnCheck() throws StorageException {
    assertThatCode(() -> store().check()).doesNotThrowAnyException();
    assertThat(listed()).isEmpty();
  }

  @Test
  void readsBackEveryRangeOfEveryLength() throws StorageException {
    for (long length : RangeCases.lengths(unit())) {
      byte[] content = content((int) length, 1);
      BlobRef ref = store(content);
      assertThat(ref.length()).isEqualTo(length);
      Blob blob = store().blob(ref);
      assertThat(blob.ref()).isEqualTo(ref);
      assertThat(blob.length()).isEqualTo(length);
      for (ByteRange range : RangeCases.of(length, unit(), 2 * unit())) {
        assertBytes(read(blob, range, ByteBuffer.allocate(8192)), content, range);
      }
    }
  }

  @Test
  void readsIntoBuffersOfAnySizeAndKind() throws StorageException {
    byte[] content = content((int) unit() + 1001, 2);
    Blob blob = store().blob(store(content));
    List<ByteRange> ranges =
        List.of(
            ByteRange.whole(500),
            new ByteRange(unit() - 250, 501),
            new ByteRange(content.length - 333, 333));
    for (IntFunction<ByteBuffer> buffer : BUFFERS) {
      for (int size : new int[] {1, 7, 4096, 1 << 20}) {
        for (ByteRange range : ranges) {
          assertBytes(read(blob, range, buffer.apply(size)), content, range);
        }
      }
    }
  }

  @Test
  void leavesTheRestOfTheBufferAlone() throws StorageException {
    byte[] content = content(100, 3);
    Blob blob = store().blob(store(content));
    ByteBuffer target = ByteBuffer.allocate(200).position(10).limit(60);
    try (RangeReader reader = blob.open(new ByteRange(40, 20))) {
      int total = 0;
      for (int n = reader.read(target); n >= 0; n = reader.read(target)) {
        total += n;
      }
      assertThat(total).isEqualTo(20);
    }
    assertThat(target.position()).isEqualTo(30);
    assertThat(target.limit()).isEqualTo(60);
    assertThat(Arrays.copyOfRange(target.array(), 10, 30))
        .isEqualTo(Arrays.copyOfRange(content, 40, 60));
    assertThat(Arrays.copyOfRange(target.array(), 30, 200)).containsOnly(0);
    assertThat(Arrays.copyOfRange(target.array(), 0, 10)).containsOnly(0);
  }

  /** A selector's thread calls what says that it waits for nothing. */
  @Test
  void whatSaysThatItWaitsForNothingDoesNotWait() throws IOException {
    int length = (int) Math.max(3 * unit(), 200_000);
    List<ByteRange> ranges = List.of(ByteRange.whole(length), new ByteRange(unit() - 1, unit()));
    Blob twin = store().blob(store(content(length, 16)));
    Blob blob = store().blob(store(content(length, 17)));
    // Each round finds more in memory than the one before.
    for (int round = 0; round < 4; round++) {
      for (ByteRange range : ranges) {
        WaitProbe.loadClasses(twin, range);
        WaitProbe.requireTruth(blob, range);
      }
    }
  }

  @Test
  void endsExactlyAtTheEndAndStaysThere() throws StorageException {
    Blob blob = store().blob(store(content(1000, 4)));
    ByteBuffer target = ByteBuffer.allocate(100);
    try (RangeReader reader = blob.open(new ByteRange(900, 100))) {
      while (target.hasRemaining()) {
        assertThat(reader.read(target)).isPositive();
      }
      target.clear();
      assertThat(reader.read(target)).isEqualTo(-1);
      assertThat(reader.read(target)).isEqualTo(-1);
      assertThat(target.position()).isZero();
    }
    try (RangeReader reader = blob.open(new ByteRange(1000, 0))) {
      assertThat(reader.read(target)).isEqualTo(-1);
      assertThat(reader.read(target)).isEqualTo(-1);
    }
  }

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
  void refusesRangesOutsideTheBlob() throws StorageException {
    for (int length : new int[] {0, 1, 1000}) {
      Blob blob = store().blob(store(content(length, 5)));
      for (ByteRange range : RangeCases.outside(length)) {
        assertThatExceptionOfType(IndexOutOfBoundsException.class)
            .isThrownBy(() -> blob.open(range).close());
        assertThatExceptionOfType(IndexOutOfBoundsException.class)
            .isThrownBy(() -> blob.fileRegion(range).ifPresent(FileRegion::close));
      }
    }
  }

  @Test
  void saysThatABlobIsMissing() throws StorageException {
    BlobRef missing = new BlobRef("0123456789abcdef0123456789abcdef", 10);
    Blob blob = store().blob(missing);
    assertThat(blob.length()).isEqualTo(10);
    for (ByteRange range : List.of(ByteRange.whole(10), new ByteRange(3, 0))) {
      assertThatExceptionOfType(StorageException.BlobNotFound.class)
          .isThrownBy(() -> blob.open(range).close())
          .withMessageContaining(missing.key());
      if (supportsFileRegions()) {
        assertThatExceptionOfType(StorageException.BlobNotFound.class)
            .isThrownBy(() -> blob.fileRegion(range).ifPresent(FileRegion::close))
            .withMessageContaining(missing.key());
      }
    }
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
  void aClosedReaderIsOver() throws StorageException {
    RangeReader reader = store().blob(store(content(10, 9))).open(ByteRange.whole(10));
    assertThat(reader.isOpen()).isTrue();
    reader.close();
    reader.close();
    assertThat(reader.isOpen()).isFalse();
    assertThatIllegalStateException().isThrownBy(() -> reader.read(ByteBuffer.allocate(1)));
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
  void anOpenReaderFinishesOrFailsAfterADelete() throws StorageException {
    byte[] content = content(3 * (int) unit(), 15);
    BlobRef ref = store(content);
    ByteBuffer target = ByteBuffer.allocate(content.length);
    try (RangeReader reader = store().blob(ref).open(ByteRange.whole(content.length))) {
      assertThat(reader.read(target.duplicate().limit(10))).isPositive();
    }
    try (RangeReader reader = store().blob(ref).open(ByteRange.whole(content.length))) {
      store().delete(ref);
      while (reader.read(target) >= 0) {
        assertThat(target.position()).isPositive();
      }
      assertThat(target.array()).isEqualTo(content);
    } catch (StorageException e) {
      assertThat(e).hasMessageContaining(ref.key());
    }
  }

  @Test
  void readersOfOneBlobDoNotDisturbEachOther() throws Exception {
    byte[] content = content(3 * (int) unit() + 17, 16);
    Blob blob = store().blob(store(content));
    List<ByteRange> ranges = RangeCases.of(content.length, unit());
    List<Callable<Integer>> readers = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      int seed = i;
      readers.add(() -> {
        Random random = new Random(seed);
        for (int n = 0; n < 50; n++) {
          ByteRange range = ranges.get(random.nextInt(ranges.size()));
          assertBytes(read(blob, range, ByteBuffer.allocate(3001)), content, range);
        }
        return 50;
      });
    }
    assertThat(together(readers)).containsOnly(50);
  }

  @Test
  void twoReadersInOneThreadTakeTurns() throws StorageException {
    byte[] content = content(1000, 17);
    Blob blob = store().blob(store(content));
    ByteBuffer first = ByteBuffer.allocate(500);
    ByteBuffer second = ByteBuffer.allocate(500);
    try (RangeReader one = blob.open(ByteRange.whole(500));
        RangeReader other = blob.open(new ByteRange(500, 500))) {
      while (first.hasRemaining() || second.hasRemaining()) {
        readUpTo(one, first, 13);
        readUpTo(other, second, 17);
      }
    }
    assertThat(first.array()).isEqualTo(Arrays.copyOfRange(content, 0, 500));
    assertThat(second.array()).isEqualTo(Arrays.copyOfRange(content, 500, 1000));
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

  @Test
  void aRegionHasTheBytesOfItsRange() throws StorageException {
    assumeTrue(supportsFileRegions(), "This store has no local files");
    for (long length : RangeCases.lengths(unit())) {
      byte[] content = content((int) length, 21);
      Blob blob = store().blob(store(content));
      for (ByteRange range : RangeCases.of(length, unit())) {
        try (FileRegion region = blob.fileRegion(range).orElseThrow()) {
          assertThat(region.length()).isEqualTo(range.length());
          region.load(0, (int) range.length());
          assertBytes(bytes(region.slice(0, (int) range.length())), content, range);
          long half = range.length() / 2;
          int rest = (int) (range.length() - half);
          assertBytes(
              bytes(region.slice(half, rest)),
              content,
              new ByteRange(range.position() + half, rest));
        }
      }
    }
  }

  @Test
  void aRegionKeepsToItsBounds() throws StorageException {
    assumeTrue(supportsFileRegions(), "This store has no local files");
    Blob blob = store().blob(store(content(1000, 22)));
    FileRegion region = blob.fileRegion(new ByteRange(100, 50)).orElseThrow();
    for (int[] slice : new int[][] {{-1, 1}, {0, 51}, {50, 1}, {51, 0}, {1, 50}, {0, -1}}) {
      assertThatExceptionOfType(IndexOutOfBoundsException.class)
          .isThrownBy(() -> region.slice(slice[0], slice[1]));
      assertThatExceptionOfType(IndexOutOfBoundsException.class)
          .isThrownBy(() -> region.isResident(slice[0], slice[1]));
      assertThatExceptionOfType(IndexOutOfBoundsException.class)
          .isThrownBy(() -> region.load(slice[0], slice[1]));
    }
    assertThatCode(() -> region.isResident(0, 50)).doesNotThrowAnyException();
    assertThat(region.slice(50, 0).remaining()).isZero();
    assertThat(region.slice(0, 50).isReadOnly()).isTrue();
    assertThatExceptionOfType(ReadOnlyBufferException.class)
        .isThrownBy(() -> region.slice(0, 1).put((byte) 1));
    region.close();
    region.close();
    assertThatIllegalStateException().isThrownBy(() -> region.slice(0, 1));
    assertThatIllegalStateException().isThrownBy(() -> region.load(0, 1));
    assertThatIllegalStateException().isThrownBy(() -> region.isResident(0, 1));
  }

  @Test
  void aRegionOutlivesItsBlob() throws StorageException {
    assumeTrue(supportsFileRegions(), "This store has no local files");
    byte[] content = content(10_000, 23);
    BlobRef ref = store(content);
    ByteRange range = new ByteRange(1000, 5000);
    try (FileRegion region = store().blob(ref).fileRegion(range).orElseThrow()) {
      store().delete(ref);
      assertBytes(bytes(region.slice(0, 5000)), content, range);
      assertThatExceptionOfType(StorageException.BlobNotFound.class)
          .isThrownBy(() -> store().blob(ref).fileRegion(range).ifPresent(FileRegion::close));
    }
    assertThatExceptionOfType(StorageException.BlobNotFound.class)
        .isThrownBy(() -> store().blob(ref).fileRegion(range).ifPresent(FileRegion::close));
  }

  @Test
  void withoutRegionsTheAnswerIsEmpty() throws StorageException {
    assumeTrue(!supportsFileRegions(), "This store has local files");
    Optional<FileRegion> region =
        store().blob(store(content(10, 24))).fileRegion(ByteRange.whole(10));
    assertThat(region).isEmpty();
  }

  @Test
  void reachesBeyondTwoGibibytes() throws Exception {
    assumeTrue(supportsSparseBlobs(), "This store has no sparse files");
    long length = (1L << 31) + 100_000;
    long position = (1L << 31) - 10;
    byte[] marker = content(20, 25);
    BlobRef ref = createSparseBlob(length, position, marker);
    Blob blob = store().blob(ref);
    ByteRange range = new ByteRange(position, marker.length);
    assertThat(read(blob, range, ByteBuffer.allocate(7))).isEqualTo(marker);
    assertThat(read(blob, new ByteRange(length - 1, 1), ByteBuffer.allocate(7))).containsExactly(0);
    if (supportsFileRegions()) {
      try (FileRegion region = blob.fileRegion(ByteRange.whole(length)).orElseThrow()) {
        assertThat(region.length()).isEqualTo(length);
        assertThat(bytes(region.slice(position, marker.length))).isEqualTo(marker);
        assertThat(bytes(region.slice(length - 1, 1))).containsExactly(0);
      }
      try (FileRegion region = blob.fileRegion(range).orElseThrow()) {
        assertThat(bytes(region.slice(0, marker.length))).isEqualTo(marker);
      }
    }
  }

  /** Stores {@code content} as one blob. */
  protected final BlobRef store(byte[] content) throws StorageException {
    try (BlobUpload upload = store().begin()) {
      upload.write(ByteBuffer.wrap(content));
      return upload.commit();
    }
  }

  /** Reproducible bytes without a pattern. */
  protected static byte[] content(int length, long seed) {
    byte[] content = new byte[length];
    new SplittableRandom(seed).nextBytes(content);
    return content;
  }

  /** Reads a range to its end through {@code buffer}, and asks once more behind the end. */
  protected static byte[] read(Blob blob, ByteRange range, ByteBuffer buffer)
      throws StorageException {
    ByteBuffer all = ByteBuffer.allocate((int) range.length());
    try (RangeReader reader = blob.open(range)) {
      buffer.clear();
      int n = reader.read(buffer);
      while (n >= 0) {
        assertThat(n).isPositive().isEqualTo(buffer.position());
        all.put(buffer.flip());
        buffer.clear();
        n = reader.read(buffer);
      }
      assertThat(reader.read(buffer)).isEqualTo(-1);
    }
    assertThat(all.hasRemaining()).isFalse();
    return all.array();
  }

  /** Every committed blob. */
  protected final Set<BlobRef> listed() throws StorageException {
    try (Stream<StoredBlob> blobs = store().list()) {
      return blobs.map(StoredBlob::ref).collect(Collectors.toSet());
    }
  }

  private byte[] readWhole(BlobRef ref) throws StorageException {
    return read(store().blob(ref), ByteRange.whole(ref.length()), ByteBuffer.allocate(8192));
  }

  private static void readUpTo(RangeReader reader, ByteBuffer target, int length)
      throws StorageException {
    int limit = target.limit();
    target.limit(Math.min(limit, target.position() + length));
    if (target.hasRemaining()) {
      assertThat(reader.read(target)).isPositive();
    }
    target.limit(limit);
  }

  private static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    return bytes;
  }

  private static void assertBytes(byte[] actual, byte[] content, ByteRange range) {
    int mismatch =
        Arrays.mismatch(
            actual, 0, actual.length, content, (int) range.position(), (int) range.end());
    assertThat(mismatch).as("first wrong byte of %s", range).isEqualTo(-1);
  }

  private static <T> List<T> together(List<Callable<T>> tasks) throws Exception {
    try (ExecutorService executor = Executors.newFixedThreadPool(tasks.size())) {
      List<T> results = new ArrayList<>();
      for (Future<T> future : executor.invokeAll(tasks)) {
        results.add(future.get());
      }
      return results;
    }
  }
}
