package io.artifactserver.storage.remote.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.FileRegion;
import io.artifactserver.core.blob.StorageException.StorageUnavailable;
import io.artifactserver.core.range.ByteRange;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.util.unit.DataSize;

/** Files that a cache finds when it starts, whole, half filled or damaged. */
class CacheRestartTest extends CacheFixture {
  @Test
  void aRestartTrustsWhatHasItsDigest() throws Exception {
    byte[] content = content(9 * PIECE + 1, 6);
    BlobRef ref = remote.store(content);
    Warm.up(open(TestProperties.whole()), ref);
    remote.down(true);
    // Not closed before: a killed process does not, either.
    CachingBlobStore restarted = open(TestProperties.whole());
    assertThat(restarted.figures().blobs()).isEqualTo(1);
    assertThat(restarted.blob(ref).fileRegion(ByteRange.whole(1))).isEmpty();
    read(restarted, ref, content, new ByteRange(3 * PIECE, 17));
    Warm.await(() -> Warm.isMappable(restarted, ref));
    read(restarted, ref, content, ByteRange.whole(content.length));
    assertThat(restarted.figures().filledBytes()).isZero();
    assertThat(restarted.figures().damagedPieces()).isZero();
  }

  @Test
  void aRestartGoesOnWithAHalfFilledBlob() throws Exception {
    byte[] content = content(20 * PIECE, 7);
    BlobRef ref = remote.store(content);
    read(open(TestProperties.demanded()), ref, content, new ByteRange(5 * PIECE, 4 * PIECE));
    remote.forget();
    CachingBlobStore restarted = open(TestProperties.whole());
    Warm.up(restarted, ref);
    assertThat(remote.delivered()).isEqualTo(16 * PIECE);
    assertThat(remote.opened()).doesNotContain(new ByteRange(5 * PIECE, PIECE));
    read(restarted, ref, content, ByteRange.whole(content.length));
  }

  @Test
  void aDamagedPieceIsFetchedAnew(CapturedOutput output) throws Exception {
    byte[] content = content(9 * PIECE, 8);
    BlobRef ref = remote.store(content);
    Warm.up(open(TestProperties.whole()), ref);
    remote.forget();
    overwrite(ref, 2L * PIECE + 100, new byte[] {(byte) ~content[2 * PIECE + 100]});
    overwrite(ref, 4L * PIECE, new byte[PIECE]);
    CachingBlobStore restarted = open(TestProperties.whole());
    read(restarted, ref, content, ByteRange.whole(content.length));
    Warm.await(() -> Warm.isMappable(restarted, ref));
    assertThat(remote.opened())
        .containsExactlyInAnyOrder(
            new ByteRange(2 * PIECE, PIECE), new ByteRange(4 * PIECE, PIECE));
    assertThat(restarted.figures().damagedPieces()).isEqualTo(2);
    assertThat(output.getOut().split("Fetching piece", -1)).hasSize(2);
    try (FileRegion region =
        restarted.blob(ref).fileRegion(ByteRange.whole(content.length)).orElseThrow()) {
      assertThat(region.slice(0, content.length)).isEqualTo(ByteBuffer.wrap(content));
    }
  }

  @Test
  void whateverAFileWasTurnedIntoTheBytesAreRight() throws Exception {
    byte[] content = content(3 * PIECE + 9, 9);
    byte[] other = content(3 * PIECE + 9, 10);
    Random random = new Random(42);
    for (int round = 0; round < 40; round++) {
      BlobRef ref = remote.store(content);
      BlobRef otherRef = remote.store(other);
      CachingBlobStore before = open(TestProperties.whole());
      Warm.up(before, ref);
      Warm.up(before, otherRef);
      long size = Files.size(file(ref));
      switch (round % 5) {
        case 0 -> truncate(ref, random.nextLong(size));
        case 1 -> overwrite(ref, random.nextLong(size), content(1 + random.nextInt(300), round));
        case 2 -> overwrite(ref, size, new byte[random.nextInt(1, 5000)]);
        case 3 -> overwrite(ref, random.nextLong(size), new byte[random.nextInt(1, PIECE)]);
        default -> {
          Files.delete(file(ref));
          Files.createDirectories(file(ref).resolveSibling(""));
          Files.copy(file(otherRef), file(ref));
        }
      }
      before.close();
      mappedFiles.forget(ref.key());
      CachingBlobStore restarted = open(TestProperties.whole());
      read(restarted, ref, content, new ByteRange(random.nextInt(content.length), 1));
      read(restarted, ref, content, ByteRange.whole(content.length));
      Warm.await(() -> Warm.isMappable(restarted, ref));
      read(restarted, ref, content, ByteRange.whole(content.length));
      restarted.delete(ref);
      restarted.delete(otherRef);
      assertThat(files()).isEmpty();
    }
  }

  @Test
  void anotherPieceLengthBeginsAnew() throws Exception {
    byte[] content = content(3 * PIECE, 11);
    BlobRef ref = remote.store(content);
    Warm.up(open(TestProperties.whole()), ref);
    CacheProperties small = TestProperties.whole();
    CachingBlobStore other =
        open(
            new CacheProperties(
                true,
                "",
                small.maxSize(),
                small.minFree(),
                small.fill(),
                DataSize.ofKilobytes(128),
                8));
    Warm.up(other, ref);
    read(other, ref, content, ByteRange.whole(content.length));
    assertThat(other.figures().filledBytes()).isEqualTo(content.length);
  }

  @Test
  void aFolderThatIsClearedUnderTheServerIsFilledAgain() throws Exception {
    byte[] content = content(10 * PIECE, 23);
    BlobRef ref = remote.store(content);
    CachingBlobStore cache = open(TestProperties.whole());
    for (int round = 0; round < 4; round++) {
      Warm.up(cache, ref);
      if (round % 2 == 0) {
        mappedFiles.forget(ref.key());
      }
      Files.delete(file(ref));
      Files.delete(file(ref).resolveSibling(""));
      read(cache, ref, content, ByteRange.whole(content.length));
      read(cache, ref, content, ByteRange.whole(content.length));
    }
    Warm.up(cache, ref);
    assertThat(files()).hasSize(1);
  }

  @Test
  void refusesAFolderThatIsAFile() throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "no folder");
    assertThatExceptionOfType(StorageUnavailable.class)
        .isThrownBy(() -> CachingBlobStore.open(remote, file, TestProperties.whole(), mappedFiles))
        .withMessageContaining(file.toString())
        .withMessageContaining("artifact-server.storage.cache.path");
  }

  @Test
  void leavesForeignFilesAlone() throws Exception {
    Files.writeString(folder.resolve("notes.txt"), "mine");
    Files.createDirectories(folder.resolve("ab"));
    Files.writeString(folder.resolve("ab/notes.txt"), "mine");
    Files.writeString(folder.resolve("ab").resolve("cd".repeat(16)), "mine");
    CachingBlobStore cache = open(TestProperties.whole(PIECE + 8192));
    assertThat(cache.figures().blobs()).isZero();
    BlobRef ref = remote.store(content(PIECE, 27));
    Warm.up(cache, ref);
    Warm.up(cache, remote.store(content(PIECE, 28)));
    assertThat(files()).hasSize(4);
  }

  private void overwrite(BlobRef ref, long position, byte[] bytes) throws IOException {
    try (FileChannel channel = FileChannel.open(file(ref), StandardOpenOption.WRITE)) {
      assertThat(channel.write(ByteBuffer.wrap(bytes), position)).isEqualTo(bytes.length);
    }
  }

  private void truncate(BlobRef ref, long length) throws IOException {
    try (FileChannel channel = FileChannel.open(file(ref), StandardOpenOption.WRITE)) {
      channel.truncate(length);
    }
  }
}
