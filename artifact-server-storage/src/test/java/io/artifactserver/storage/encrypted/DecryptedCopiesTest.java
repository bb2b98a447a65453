package io.artifactserver.storage.encrypted;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.artifactserver.core.blob.Blob;
import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.FileRegion;
import io.artifactserver.core.blob.InMemoryDataKeyStore;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.Wait;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.storage.local.file.FileBlobStore;
import io.artifactserver.storage.local.mapped.MappedFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Copies are made when the test says so: {@link #tasks} are what would run in the background. */
class DecryptedCopiesTest {
  private static final int LENGTH = 300_000;
  private static final int SEGMENT_LENGTH = 16 * 1024;

  @TempDir private Path root;
  private final AtomicLong now = new AtomicLong();
  private final Deque<Runnable> tasks = new ArrayDeque<>();
  private final MappedFiles files = new MappedFiles(16, Duration.ofMinutes(5));
  private final MappedFiles copied = new MappedFiles(16, DecryptedCopies.IDLE_TIME, now::get);
  private final DecryptedCopies copies =
      new DecryptedCopies(2 * LENGTH + 1, copied, this::runLater);
  private EncryptedBlobStore store;
  private boolean isOutOfThreads;

  @BeforeEach
  void openStore() throws StorageException {
    store =
        new EncryptedBlobStore(
            FileBlobStore.open(root, files),
            new InMemoryDataKeyStore(),
            KeyRing.ephemeral(),
            SEGMENT_LENGTH,
            Optional.of(copies),
            SegmentKeys.MIN_IDLE_TIME);
  }

  @AfterEach
  void close() {
    copies.close();
    assertThat(copies.heldBytes()).isZero();
    files.close();
  }

  @Test
  void aBlobIsCopiedWhenTwiceItsLengthWasDecrypted() throws Exception {
    byte[] content = content(1);
    BlobRef ref = store(content);
    read(ref, ByteRange.whole(LENGTH));
    read(ref, new ByteRange(0, LENGTH - 1));
    assertThat(tasks).isEmpty();
    assertThat(store.blob(ref).waitToOpen()).as("by its key and mapping").isEqualTo(Wait.NONE);
    read(ref, new ByteRange(7, 1));
    assertThat(tasks).hasSize(1);
    assertThat(store.blob(ref).fileRegion(ByteRange.whole(LENGTH))).isEmpty();
    tasks.remove().run();

    ByteRange range = new ByteRange(12_345, 200_001);
    try (FileRegion region = store.blob(ref).fileRegion(range).orElseThrow()) {
      assertThat(bytes(region)).isEqualTo(Arrays.copyOfRange(content, 12_345, 212_346));
      assertThat(region.isResident(0, 200_001)).isTrue();
    }
    assertThat(copies.heldBytes()).isEqualTo(LENGTH);
    assertThat(read(ref, range)).as("a reader has them too").hasSize(200_001);
  }

  /** Else the plain bytes could be found by others, and after a crash. */
  @Test
  void aCopyHasNoNameInAnyFileSystem() throws Exception {
    copied(1);
    try (Stream<String> mappings = Files.lines(Path.of("/proc/self/maps"))) {
      assertThat(mappings.filter(line -> line.contains("memfd:artifact")))
          .isNotEmpty()
          .allMatch(line -> line.contains(" r--s ") && line.endsWith("(deleted)"));
    }
  }

  @Test
  void aCopyNeedsNeitherTheFileNorIsItCold() throws Exception {
    byte[] content = content(1);
    BlobRef ref = copied(content);
    files.close();
    Blob blob = store.blob(ref);
    assertThat(blob.waitToOpen()).isEqualTo(Wait.NONE);
    try (FileRegion region = blob.fileRegion(ByteRange.whole(LENGTH)).orElseThrow()) {
      assertThat(bytes(region)).isEqualTo(content);
    }
  }

  @Test
  void aDeletedBlobsCopyIsGone() throws Exception {
    byte[] content = content(1);
    BlobRef ref = copied(content);
    try (FileRegion open = store.blob(ref).fileRegion(ByteRange.whole(LENGTH)).orElseThrow()) {
      store.delete(ref);
      assertThat(store.blob(ref).fileRegion(ByteRange.whole(LENGTH))).isEmpty();
      assertThat(bytes(open)).as("who has it finishes").isEqualTo(content);
      assertThat(copies.heldBytes()).isEqualTo(LENGTH);
    }
    assertThat(copies.heldBytes()).isZero();
    assertThatExceptionOfType(StorageException.BlobNotFound.class)
        .isThrownBy(() -> store.blob(ref).open(new ByteRange(0, 1)).close());
  }

  @Test
  void whatIsDeletedBeforeItIsCopiedIsNot() throws Exception {
    BlobRef ref = store(content(1));
    readTwice(ref);
    store.delete(ref);
    tasks.remove().run();
    assertThat(copies.heldBytes()).isZero();
    assertThat(store.blob(ref).fileRegion(ByteRange.whole(LENGTH))).isEmpty();
  }

  @Test
  void nothingIsHeldForACopyThatCannotBegin() throws Exception {
    BlobRef ref = store(content(1));
    read(ref, ByteRange.whole(LENGTH));
    isOutOfThreads = true;
    assertThatExceptionOfType(OutOfMemoryError.class)
        .isThrownBy(() -> read(ref, ByteRange.whole(LENGTH)));
    assertThat(copies.heldBytes()).isZero();
    isOutOfThreads = false;
    assertThat(isCopied(copied(ref))).isTrue();
  }

  @Test
  void twoAreNotCopiedAtOnce() throws Exception {
    BlobRef first = store(content(1));
    BlobRef second = store(content(2));
    readTwice(first);
    readTwice(second);
    assertThat(tasks).hasSize(1);
    tasks.remove().run();
    read(second, new ByteRange(0, 1));
    tasks.remove().run();
    assertThat(copies.heldBytes()).isEqualTo(2 * LENGTH);
  }

  @Test
  void theBoundHolds() throws Exception {
    BlobRef first = copied(1);
    now.addAndGet(1);
    BlobRef second = copied(2);
    BlobRef third = store(content(3));
    now.addAndGet(DecryptedCopies.MIN_IDLE_TIME.toNanos() - 2);
    readTwice(third);
    assertThat(tasks).as("the others are in use").isEmpty();

    now.addAndGet(1);
    FileRegion slow = store.blob(first).fileRegion(ByteRange.whole(LENGTH)).orElseThrow();
    now.addAndGet(DecryptedCopies.MIN_IDLE_TIME.toNanos());
    readTwice(third);
    tasks.remove().run();
    assertThat(isCopied(first)).as("is being read").isTrue();
    assertThat(isCopied(second)).as("is unused for longest").isFalse();
    assertThat(isCopied(third)).isTrue();
    assertThat(copies.heldBytes()).isEqualTo(2 * LENGTH);
    slow.close();
  }

  @Test
  void aBlobLongerThanTheBoundIsNoneToCopy() throws Exception {
    byte[] content = new byte[2 * LENGTH + 2];
    BlobRef ref = store(content);
    for (int i = 0; i < 3; i++) {
      assertThat(read(ref, ByteRange.whole(content.length))).isEqualTo(content);
    }
    assertThat(tasks).isEmpty();
  }

  @Test
  void idleCopiesGo() throws Exception {
    BlobRef ref = copied(1);
    now.addAndGet(DecryptedCopies.IDLE_TIME.toNanos());
    copied.closeIdle();
    assertThat(copies.heldBytes()).isZero();
    assertThat(isCopied(ref)).isFalse();
    copied(ref);
    assertThat(isCopied(ref)).isTrue();
  }

  @Test
  void noByteOfADamagedBlobIsKept() throws Exception {
    BlobRef ref = store(content(1));
    readTwice(ref);
    damage(LENGTH - 1);
    tasks.remove().run();
    assertThat(isCopied(ref)).isFalse();
    assertThat(copies.heldBytes()).isZero();
    assertThatExceptionOfType(StorageException.BlobCorrupt.class)
        .isThrownBy(() -> read(ref, ByteRange.whole(LENGTH)));
    read(ref, new ByteRange(0, 1000));
    assertThat(tasks).as("it counts from the start").isEmpty();
  }

  @Test
  void nothingIsCopiedAfterTheEnd() throws Exception {
    BlobRef ref = store(content(1));
    readTwice(ref);
    copies.close();
    tasks.remove().run();
    assertThat(copies.heldBytes()).isZero();
    readTwice(ref);
    assertThat(tasks).isEmpty();
  }

  @Test
  void anEmptyBlobIsNotCopied() throws Exception {
    BlobRef ref = store(new byte[0]);
    for (int i = 0; i < 3; i++) {
      assertThat(read(ref, ByteRange.whole(0))).isEmpty();
    }
    assertThat(tasks).isEmpty();
  }

  @Test
  void theDefaultIsNoneWhereTheSystemSwaps() throws Exception {
    Path swaps = root.resolve("swaps");
    String heading = "Filename\tType\tSize\tUsed\tPriority\n";
    Files.writeString(swaps, heading);
    assertThat(Swap.isOn(swaps)).isFalse();
    Files.writeString(swaps, heading + "/dev/zram0\tpartition\t1000\t0\t100\n");
    assertThat(Swap.isOn(swaps)).as("which is memory").isFalse();
    Files.writeString(swaps, heading + "/swapfile\tfile\t1000\t0\t-2\n");
    assertThat(Swap.isOn(swaps)).isTrue();
    assertThat(Swap.isOn(root.resolve("none"))).as("nobody knows").isTrue();
  }

  private void runLater(Runnable task) {
    if (isOutOfThreads) {
      throw new OutOfMemoryError("unable to create native thread");
    }
    tasks.add(task);
  }

  private BlobRef copied(int seed) throws IOException {
    return copied(content(seed));
  }

  private BlobRef copied(byte[] content) throws IOException {
    return copied(store(content));
  }

  private BlobRef copied(BlobRef ref) throws IOException {
    readTwice(ref);
    tasks.remove().run();
    return ref;
  }

  /** Looks as no client does: this is no use of the copy. */
  private boolean isCopied(BlobRef ref) {
    return copies.has(ref);
  }

  private void readTwice(BlobRef ref) throws StorageException {
    read(ref, ByteRange.whole(ref.length()));
    read(ref, ByteRange.whole(ref.length()));
  }

  private byte[] read(BlobRef ref, ByteRange range) throws StorageException {
    ByteBuffer bytes = ByteBuffer.allocate((int) range.length());
    try (RangeReader reader = store.blob(ref).open(range)) {
      while (reader.read(bytes) >= 0) {
        assertThat(reader.isOpen()).isTrue();
      }
    }
    return bytes.array();
  }

  private static byte[] bytes(FileRegion region) {
    byte[] bytes = new byte[(int) region.length()];
    region.slice(0, bytes.length).get(bytes);
    return bytes;
  }

  private BlobRef store(byte[] content) throws StorageException {
    try (BlobUpload upload = store.begin()) {
      upload.write(ByteBuffer.wrap(content));
      return upload.commit();
    }
  }

  private void damage(int position) throws IOException {
    try (Stream<Path> walk = Files.walk(root)) {
      Path file = walk.filter(Files::isRegularFile).findFirst().orElseThrow();
      try (FileChannel channel =
          FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
        ByteBuffer one = ByteBuffer.allocate(1);
        channel.read(one, position);
        one.put(0, (byte) (one.get(0) ^ 1)).rewind();
        channel.write(one, position);
      }
    }
  }

  private static byte[] content(int seed) {
    byte[] content = new byte[LENGTH];
    new SplittableRandom(seed).nextBytes(content);
    return content;
  }
}
