package io.artifactserver.storage.remote.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.abort;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.FileRegion;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException.StorageUnavailable;
import io.artifactserver.core.range.ByteRange;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.system.CapturedOutput;

/** Blobs make room for others, or are not cached: the cache or the disk is full. */
class CacheRoomTest extends CacheFixture {
  @Test
  void aStoreThatIsDownDrivesNothingOutOfTheCache() throws Exception {
    byte[] content = content(10 * PIECE, 13);
    BlobRef kept = remote.store(content);
    BlobRef other = remote.store(content);
    CachingBlobStore cache = open(TestProperties.whole(15 * PIECE));
    Warm.up(cache, kept);
    remote.down(true);
    assertThatExceptionOfType(StorageUnavailable.class)
        .isThrownBy(() -> cache.blob(other).open(ByteRange.whole(1)));
    assertThat(Warm.isMappable(cache, kept)).isTrue();
    assertThat(cache.figures().evictions()).isZero();
  }

  @Test
  void theLeastRecentlyUsedGoesFirstAcrossARestart() throws Exception {
    byte[] content = content(10 * PIECE, 15);
    List<BlobRef> refs =
        List.of(
            remote.store(content),
            remote.store(content),
            remote.store(content),
            remote.store(content));
    CachingBlobStore cache = open(TestProperties.whole(35 * PIECE));
    for (BlobRef ref : refs.subList(0, 3)) {
      Warm.up(cache, ref);
      later(Duration.ofMinutes(1));
    }
    assertThat(Warm.isMappable(cache, refs.get(0))).isTrue();
    later(Duration.ofMinutes(1));
    cache.close();
    CachingBlobStore restarted = open(TestProperties.whole(35 * PIECE));
    Warm.up(restarted, refs.get(3));
    assertThat(restarted.figures().evictions()).isEqualTo(1);
    assertThat(files()).contains(file(refs.get(0))).doesNotContain(file(refs.get(1))).hasSize(3);
    assertThat(restarted.figures().heldBytes()).isLessThanOrEqualTo(35 * PIECE);
  }

  @Test
  void whatIsReadOrMappedIsNotEvicted() throws Exception {
    byte[] content = content(10 * PIECE, 16);
    BlobRef read = remote.store(content);
    BlobRef mapped = remote.store(content);
    BlobRef third = remote.store(content);
    CachingBlobStore cache = open(TestProperties.whole(25 * PIECE));
    Warm.up(cache, read);
    Warm.up(cache, mapped);
    try (RangeReader reader = cache.blob(read).open(ByteRange.whole(content.length));
        FileRegion region =
            cache.blob(mapped).fileRegion(ByteRange.whole(content.length)).orElseThrow()) {
      later(Duration.ofHours(1));
      remote.forget();
      read(cache, third, content, ByteRange.whole(content.length));
      assertThat(files()).containsExactlyInAnyOrder(file(read), file(mapped));
      assertThat(cache.figures().evictions()).isZero();
      assertThat(cache.figures().passes()).isEqualTo(1);
      assertThat(remote.delivered()).isEqualTo(content.length);
      assertThat(region.slice(0, content.length)).isEqualTo(ByteBuffer.wrap(content));
      ByteBuffer all = ByteBuffer.allocate(content.length);
      while (reader.read(all) > 0) {
        assertThat(all.position()).isPositive();
      }
      assertThat(all.array()).isEqualTo(content);
    }
    warmUpBehindThePause(cache, third);
    assertThat(cache.figures().evictions()).isEqualTo(1);
  }

  @Test
  void aBlobLargerThanTheCachePassesThrough() throws Exception {
    byte[] content = content(10 * PIECE, 17);
    BlobRef ref = remote.store(content);
    CachingBlobStore cache = open(TestProperties.whole(9 * PIECE));
    read(cache, ref, content, new ByteRange(77, 5 * PIECE));
    assertThat(remote.opened()).containsExactly(new ByteRange(77, 5 * PIECE));
    assertThat(cache.figures().passes()).isEqualTo(1);
    assertThat(cache.figures().blobs()).isZero();
  }

  @Test
  void aDiskThatMustNotGetFullerIsLeftAlone(CapturedOutput output) throws Exception {
    byte[] content = content(10 * PIECE, 18);
    BlobRef old = remote.store(content);
    BlobRef ref = remote.store(content);
    CachingBlobStore cache = open(TestProperties.whole());
    Warm.up(cache, old);
    diskBytes.set(12 * PIECE);
    // There is room for the new one in place of the old one.
    Warm.up(cache, ref);
    assertThat(files()).containsExactly(file(ref));
    byte[] largeContent = content(20 * PIECE, 19);
    BlobRef large = remote.store(largeContent);
    later(Duration.ofMinutes(1));
    for (int i = 1; i <= 2; i++) {
      read(cache, large, largeContent, ByteRange.whole(20 * PIECE));
      assertThat(cache.figures().passes()).isEqualTo(i);
    }
    assertThat(files()).as("gone for nothing").containsExactly(file(ref));
    Warm.await(() -> output.getAll().contains("The cache is off"));
    assertThat(output).containsOnlyOnce("The cache is off");
    diskBytes.set(1L << 40);
    read(cache, large, largeContent, ByteRange.whole(20 * PIECE));
    assertThat(cache.figures().passes()).as("within the pause").isEqualTo(3);
    warmUpBehindThePause(cache, large);
    Warm.await(() -> output.getAll().contains("The cache is on again"));
    assertThat(output).containsOnlyOnce("The cache is on again");
  }

  @Test
  void aFullFileSystemIsNoErrorOfTheClient(CapturedOutput output) throws Exception {
    Path disk = Files.createDirectory(folder.resolve("disk"));
    if (run("mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", disk.toString()) != 0) {
      abort("SKIPPED: a full file system was not tried, because this user may not mount a tmpfs");
    }
    try {
      byte[] content = content(60 * PIECE, 20);
      BlobRef ref = remote.store(content);
      CachingBlobStore cache = open(disk, TestProperties.whole());
      for (int i = 0; i < 3; i++) {
        assertThat(read(cache, ref, content, ByteRange.whole(content.length)))
            .isEqualTo(content.length);
      }
      assertThat(cache.figures().passes()).isEqualTo(3);
      // Said by the thread that fetched, which nobody waits for.
      Warm.await(() -> output.getAll().contains("The cache is off"));
      assertThat(output).containsOnlyOnce("The cache is off").contains("No space left");
      cache.delete(ref);
      later(CacheEntry.PAUSE.multipliedBy(2));
      byte[] small = content(5 * PIECE, 21);
      BlobRef smallRef = remote.store(small);
      Warm.up(cache, smallRef);
      Warm.await(() -> output.getAll().contains("The cache is on again"));
      cache.close();
    } finally {
      mappedFiles.close();
      assertThat(run("umount", disk.toString())).isZero();
    }
  }

  /**
   * Asks until the blob is cached: a piece that was fetched ahead may be refused late, behind the
   * reader that did not wait for it, and then the pause begins again.
   */
  private void warmUpBehindThePause(CachingBlobStore cache, BlobRef ref) {
    Warm.await(() -> {
      later(CacheEntry.PAUSE.multipliedBy(2));
      try (RangeReader reader = cache.blob(ref).open(ByteRange.whole(1))) {
        return reader.isOpen() && Warm.isMappable(cache, ref);
      }
    });
  }

  private void later(Duration duration) {
    now.updateAndGet(instant -> instant.plus(duration));
  }

  private static int run(String... command) throws IOException, InterruptedException {
    try {
      return new ProcessBuilder(command).redirectErrorStream(true).start().waitFor();
    } catch (IOException _) {
      return -1;
    }
  }
}
