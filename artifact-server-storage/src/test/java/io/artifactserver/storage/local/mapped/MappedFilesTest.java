package io.artifactserver.storage.local.mapped;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.artifactserver.core.blob.FileRegion;
import io.artifactserver.core.range.ByteRange;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Which files stay mapped. */
class MappedFilesTest extends MappedFilesFixture {
  @Test
  void mapsAFileOnce() throws Exception {
    for (int i = 0; i < 10; i++) {
      try (FileRegion region = region("a", new ByteRange(i, 3))) {
        assertThat(region.slice(1, 1).get()).isEqualTo((byte) (i + 1));
      }
    }
    assertThat(opened).hasValue(1);
    assertThat(files.size()).isEqualTo(1);
  }

  @Test
  void theLeastRecentlyUsedGoesFirst() throws Exception {
    for (String key : List.of("a", "b", "a", "c")) {
      now.incrementAndGet();
      region(key, new ByteRange(0, 1)).close();
    }
    assertThat(files.size()).isEqualTo(2);
    region("a", new ByteRange(0, 1)).close();
    assertThat(opened).hasValue(3);
    region("b", new ByteRange(0, 1)).close();
    assertThat(opened).hasValue(4);
  }

  @Test
  void nothingGoesWhileARegionIsOpen() throws Exception {
    List<FileRegion> regions = new ArrayList<>();
    for (String key : List.of("a", "b", "c", "d", "e")) {
      regions.add(region(key, new ByteRange(7, 2)));
    }
    assertThat(files.size()).isEqualTo(5);
    for (FileRegion region : regions) {
      assertThat(region.slice(0, 2).get()).isEqualTo((byte) 7);
      region.close();
      region.close();
    }
    assertThat(files.size()).isEqualTo(2);
  }

  @Test
  void idleMappingsGo() throws Exception {
    region("a", new ByteRange(0, 1)).close();
    try (FileRegion open = region("b", new ByteRange(3, 1))) {
      now.addAndGet(IDLE.toNanos() - 1);
      files.closeIdle();
      assertThat(files.size()).isEqualTo(2);
      now.addAndGet(1);
      files.closeIdle();
      assertThat(files.size()).isEqualTo(1);
      assertThat(open.slice(0, 1).get()).isEqualTo((byte) 3);
    }
    files.closeIdle();
    assertThat(files.size()).as("used just now").isEqualTo(1);
    now.addAndGet(IDLE.toNanos());
    files.closeIdle();
    assertThat(files.size()).isZero();
  }

  @Test
  void theOldestGoesWhenItIsUnusedLongEnough() throws Exception {
    Duration minute = Duration.ofMinutes(1);
    assertThat(files.closeOldest(minute)).isFalse();
    region("a", new ByteRange(0, 1)).close();
    now.addAndGet(1);
    try (FileRegion open = region("b", new ByteRange(3, 1))) {
      now.addAndGet(minute.toNanos() - 2);
      assertThat(files.closeOldest(minute)).isFalse();
      now.addAndGet(1);
      assertThat(files.closeOldest(minute)).isTrue();
      assertThat(files.isMapped("a")).isFalse();
      now.addAndGet(minute.toNanos());
      assertThat(files.closeOldest(minute)).as("in use").isFalse();
      assertThat(open.slice(0, 1).get()).isEqualTo((byte) 3);
    }
  }

  @Test
  void opensNothingForWhoeverWantsWhatIsMapped() throws Exception {
    assertThat(files.mappedRegion("a", new ByteRange(1, 2))).isEmpty();
    region("a", new ByteRange(0, 1)).close();
    try (FileRegion region = files.mappedRegion("a", new ByteRange(1, 2)).orElseThrow()) {
      files.forget("a");
      assertThat(region.slice(1, 1).get()).isEqualTo((byte) 2);
      assertThat(files.mappedRegion("a", new ByteRange(1, 2))).isEmpty();
    }
    assertThat(opened).hasValue(1);
  }

  @Test
  void aForgottenFileStaysForItsOpenRegionsOnly() throws Exception {
    ByteBuffer slice;
    FileRegion first = region("a", new ByteRange(1, 1));
    try (FileRegion second = region("a", new ByteRange(2, 1))) {
      files.forget("a");
      files.forget("a");
      first.close();
      first.close();
      slice = second.slice(0, 1);
      assertThat(slice.get(0)).isEqualTo((byte) 2);
      assertThat(files.size()).isZero();
    }
    assertThatIllegalStateException().isThrownBy(() -> slice.get(0));
  }

  @Test
  void whatIsInUseIsNotForgottenByWhoeverAsksForUnused() throws Exception {
    assertThat(files.forgetUnused("a")).isTrue();
    try (FileRegion open = region("a", new ByteRange(1, 1))) {
      assertThat(files.forgetUnused("a")).isFalse();
      assertThat(files.size()).isEqualTo(1);
      assertThat(open.slice(0, 1).get()).isEqualTo((byte) 1);
    }
    assertThat(files.forgetUnused("a")).isTrue();
    assertThat(files.size()).isZero();
    region("a", new ByteRange(1, 1)).close();
    assertThat(opened).hasValue(2);
  }

  @Test
  void aClosedOneMapsNothing() throws Exception {
    FileRegion open = region("a", new ByteRange(1, 1));
    files.close();
    assertThat(open.slice(0, 1).get()).isEqualTo((byte) 1);
    open.close();
    assertThatIllegalStateException().isThrownBy(() -> region("a", new ByteRange(1, 1)));
    assertThatIllegalStateException().isThrownBy(() -> region("b", new ByteRange(1, 1)));
    assertThat(files.size()).isZero();
  }

  /** A client may have as many files sent as it likes, and read none. */
  @Test
  void noMoreFilesStayOpenThanAreKept() throws Exception {
    List<FileRegion> regions = new ArrayList<>();
    for (String key : List.of("a", "b", "c", "d")) {
      regions.add(region(key, new ByteRange(10, 100)));
    }
    assertThat(openChannels()).isEqualTo(2);
    for (FileRegion region : regions) {
      assertThat(sent(region, 5, 20)).isEqualTo(bytes(15, 20));
      region.load(0, 100);
      assertThat(region.isResident(0, 100)).isTrue();
      region.close();
    }
    files.forget("c");
    files.forget("d");
    assertThat(openChannels()).isLessThanOrEqualTo(2);
    region("e", new ByteRange(0, 1)).close();
    assertThat(channels.getLast().isOpen()).isTrue();
  }

  @Test
  void theFileIsOpenAsLongAsTheMapping() throws Exception {
    FileRegion region = region("a", new ByteRange(0, 1));
    assertThat(openChannels()).isEqualTo(1);
    files.forget("a");
    assertThat(openChannels()).isEqualTo(1);
    region.close();
    assertThat(openChannels()).isZero();
  }

  @Test
  void refusesImpossibleBounds() {
    assertThatIllegalArgumentException().isThrownBy(() -> new MappedFiles(0, IDLE));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new MappedFiles(1, Duration.ofSeconds(-1)));
  }

  @Test
  void evictionNeverTakesALeasedMapping() throws Exception {
    Callable<Integer> reader =
        () -> {
          for (int i = 0; i < 3000; i++) {
            String key = "k" + (i * 7L + Thread.currentThread().threadId()) % 6;
            try (FileRegion region = region(key, new ByteRange(i % 100, 50))) {
              // Reading an unmapped segment throws.
              if (region.slice(0, 50).get(10) != (byte) (i % 100 + 10)) {
                throw new AssertionError("Wrong byte of " + key);
              }
            }
            if (i % 97 == 0) {
              files.forget(key);
            }
          }
          return 0;
        };
    try (ExecutorService executor = Executors.newFixedThreadPool(6)) {
      List<Future<Integer>> readers = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        readers.add(executor.submit(reader));
      }
      for (Future<Integer> one : readers) {
        assertThat(one.get()).isZero();
      }
    }
    assertThat(files.size()).isLessThanOrEqualTo(2);
  }

  private long openChannels() {
    return channels.stream().filter(FileChannel::isOpen).count();
  }
}
