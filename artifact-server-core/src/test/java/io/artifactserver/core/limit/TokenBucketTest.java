package io.artifactserver.core.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.assertj.core.data.Percentage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The rate and the shares, by simulation. */
class TokenBucketTest {
  private final SimulatedTime time = new SimulatedTime();

  /** Readers, bytes per second of all, seconds. */
  @ParameterizedTest
  @CsvSource({
    "1, 100, 100",
    "1, 1000000, 10",
    "3, 1000000, 10",
    "2000, 20000000, 60",
    "20000, 400000000, 20",
    "500, 50000, 200",
    "1, 1000000000000, 1"
  })
  void theRateIsExactAndSharesAreFair(int count, long rate, int seconds) {
    TokenBucket bucket = new TokenBucket(rate, time, time);
    List<Reader> readers = readers(count, bucket);
    // The first to ask are alone, and get more at once.
    double warmUp = seconds / 5.0;
    time.pass(warmUp);
    List<Long> had = readers.stream().map(reader -> reader.bytes).toList();
    time.pass(seconds - warmUp);
    assertThat((double) total(readers))
        .isCloseTo((double) rate * seconds, Percentage.withPercentage(3));
    LongSummaryStatistics shares =
        IntStream.range(0, count)
            .mapToLong(i -> readers.get(i).bytes - had.get(i))
            .summaryStatistics();
    assertThat((double) shares.getMax() / shares.getMin()).isLessThanOrEqualTo(1.3);
    assertThat(readers).allMatch(reader -> reader.longestWait < Math.max(5, seconds / 4.0));
  }

  @Test
  void aReaderThatComesLaterHasTheSameShare() {
    TokenBucket bucket = new TokenBucket(1_000_000, time, time);
    Reader first = readers(1, bucket).getFirst();
    time.pass(5);
    long before = first.bytes;
    Reader second = readers(1, bucket).getFirst();
    time.pass(10);
    assertThat((double) (first.bytes - before) / second.bytes).isCloseTo(1, within(0.05));
  }

  @Test
  void aSlowReaderLeavesItsShareToTheOthers() {
    TokenBucket bucket = new TokenBucket(1_000_000, time, time);
    Reader fast = readers(1, bucket).getFirst();
    Reader slow = new Reader(bucket, 0.5);
    slow.ask();
    time.pass(10);
    assertThat((double) (fast.bytes + slow.bytes))
        .isCloseTo(10_000_000, Percentage.withPercentage(3));
    assertThat(slow.bytes).isLessThan(fast.bytes / 10);
  }

  /** A limit that is changed to nearly nothing and back, under many running downloads. */
  @Test
  void aChangeCountsAtOnceForThoseWhoWait() {
    TokenBucket bucket = new TokenBucket(10_000_000, time, time);
    List<Reader> readers = readers(500, bucket);
    time.pass(2);
    bucket.setRate(1);
    time.pass(60);
    long before = total(readers);
    time.pass(60);
    assertThat(total(readers) - before).isLessThanOrEqualTo(TokenBucket.MAX_GRANT);
    bucket.setRate(10_000_000);
    before = total(readers);
    List<Long> had = readers.stream().map(reader -> reader.bytes).toList();
    time.pass(10);
    assertThat((double) (total(readers) - before))
        .isCloseTo(100_000_000, Percentage.withPercentage(3));
    for (int i = 0; i < readers.size(); i++) {
      assertThat(readers.get(i).bytes).isGreaterThan(had.get(i));
    }
    // A reader that is always served at once would never come to an end.
    readers.forEach(Reader::stop);
    bucket.setRate(RepositoryLimits.NO_LIMIT);
    assertThat(bucket.waiting()).isZero();
    assertThat(bucket.take(Long.MAX_VALUE, () -> {})).isTrue();
  }

  /** A small range that need not wait. */
  @Test
  void bytesAreTakenFromAllBucketsAtOnceOrFromNone() {
    TokenBucket narrow = new TokenBucket(1_000_000, time, time);
    TokenBucket wide = new TokenBucket(2_000_000, time, time);
    List<TokenBucket> both = List.of(wide, narrow);
    assertThat(TokenBucket.takeNow(both, 1)).isFalse();
    time.pass(0.04);
    assertThat(TokenBucket.takeNow(both, 30_000)).isTrue();
    // The narrow one has 10,000, the wide one 50,000.
    assertThat(TokenBucket.takeNow(both, 20_000)).isFalse();
    assertThat(TokenBucket.takeNow(List.of(wide), 50_000)).isTrue();
    assertThat(TokenBucket.takeNow(List.of(wide), 1)).isFalse();
    assertThat(TokenBucket.takeNow(List.of(narrow), 10_000)).isTrue();
    time.pass(60);
    // More than it keeps: it would be overdrawn.
    assertThat(TokenBucket.takeNow(List.of(narrow), 100_000)).isFalse();
    assertThat(TokenBucket.takeNow(List.of(), 100_000)).isTrue();
  }

  @Test
  void nobodyWhoWaitsIsPassedBy() {
    TokenBucket bucket = new TokenBucket(1_000_000, time, time);
    Reader waiting = readers(1, bucket).getFirst();
    for (int i = 0; i < 100; i++) {
      time.pass(0.01);
      assertThat(TokenBucket.takeNow(List.of(bucket), 1)).isFalse();
    }
    assertThat((double) waiting.bytes).isCloseTo(1_000_000, Percentage.withPercentage(7));
  }

  @Test
  void noByteIsTakenTwiceByManyThreads() throws Exception {
    TokenBucket bucket = new TokenBucket(20_000_000, time, time);
    time.pass(60);
    AtomicLong taken = new AtomicLong();
    try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
      List<Future<?>> done = new ArrayList<>();
      for (int t = 0; t < 4; t++) {
        done.add(
            threads.submit(() -> {
              while (TokenBucket.takeNow(List.of(bucket), 1)) {
                taken.incrementAndGet();
              }
            }));
      }
      for (Future<?> each : done) {
        each.get();
      }
    }
    // As much as 50 ms bring.
    assertThat(taken.get()).isEqualTo(1_000_000);
  }

  @Test
  void nothingIsSavedUpForLaterThanAMoment() {
    TokenBucket bucket = new TokenBucket(1_000_000, time, time);
    time.pass(3600);
    Reader reader = readers(1, bucket).getFirst();
    time.pass(1);
    assertThat(reader.bytes).isLessThanOrEqualTo(1_000_000 + TokenBucket.MAX_GRANT);
  }

  @Test
  void bytesPassANarrowBucketAndThenAWideOne() {
    TokenBucket wide = new TokenBucket(1_000_000, time, time);
    TokenBucket narrow = new TokenBucket(100_000, time, time);
    Reader limited = new Reader(narrow, 0);
    limited.parent = wide;
    limited.ask();
    Reader free = readers(1, wide).getFirst();
    time.pass(20);
    assertThat((double) limited.bytes).isCloseTo(2_000_000, Percentage.withPercentage(10));
    assertThat((double) (limited.bytes + free.bytes))
        .isCloseTo(20_000_000, Percentage.withPercentage(3));
  }

  private static long total(List<Reader> readers) {
    return readers.stream().mapToLong(reader -> reader.bytes).sum();
  }

  private List<Reader> readers(int count, TokenBucket bucket) {
    List<Reader> readers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      readers.add(new Reader(bucket, 0));
    }
    readers.forEach(Reader::ask);
    return readers;
  }

  /** Takes what it gets, and asks for more. */
  private final class Reader {
    private final TokenBucket bucket;
    private final double pauseSeconds;
    private @Nullable TokenBucket parent;
    private long bytes;
    private double asked;
    private double longestWait;
    private boolean isStopped;

    Reader(TokenBucket bucket, double pauseSeconds) {
      this.bucket = bucket;
      this.pauseSeconds = pauseSeconds;
    }

    void stop() {
      isStopped = true;
    }

    void ask() {
      while (!isStopped) {
        long length = bucket.grantLength();
        asked = time.seconds();
        if (!bucket.take(length, () -> pass(length))) {
          return;
        }
        if (parent != null) {
          pass(length);
          return;
        }
        bytes += length;
      }
    }

    private void pass(long length) {
      if (parent == null || parent.take(length, () -> granted(length))) {
        granted(length);
      }
    }

    private void granted(long length) {
      bytes += length;
      longestWait = Math.max(longestWait, time.seconds() - asked);
      if (pauseSeconds > 0) {
        time.schedule(this::ask, (long) (pauseSeconds * 1e9));
      } else {
        ask();
      }
    }
  }
}
