package io.artifactserver.core.progress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.artifactserver.core.catalog.CatalogUnavailableException;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.progress.ProgressBook.Device;
import io.artifactserver.core.progress.ProgressStore.Addition;
import io.artifactserver.core.range.ByteRange;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class ProgressBookTest {
  private static final ProgressSubject SUBJECT = subject("edge", 1);

  private Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private final InMemoryProgressStore rows = new InMemoryProgressStore();
  private final List<Addition> told = new ArrayList<>();
  private final ProgressBook book =
      new ProgressBook(
          rows, () -> now, new ProgressBook.Bounds(1000, 10, 100_000, 50), told::addAll);

  @Test
  void whatWasSentIsSeenAtOnceAndOnceItIsWritten() {
    deliver("b", 0, 10);
    deliver("a", 5, 10);
    assertThat(names("", 10)).containsExactly("a", "b");
    assertThat(book.flush(1)).isEqualTo(1);
    assertThat(names("", 10)).containsExactly("a", "b");
    now = now.plusSeconds(1);
    deliver("b", 10, 10);
    DeviceProgress b = book.list(SUBJECT, "a", 10).getFirst();
    assertThat(b.delivered()).isEqualTo(DeliveredBytes.of(new ByteRange(0, 20)));
    assertThat(b.updatedAt()).isEqualTo(now);
    assertThat(book.flush(10)).isEqualTo(2);
    assertThat(book.flush(10)).isZero();
    assertThat(book.size()).isZero();
    assertThat(book.list(SUBJECT, "a", 10)).containsExactly(b);
    assertThat(book.list(subject("edge", 2), "", 10)).isEmpty();
    assertThat(book.list(subject("other", 1), "", 10)).isEmpty();
  }

  @Test
  void pagesGoThroughWhatIsWrittenAndWhatIsNot() {
    for (int i = 0; i < 20; i++) {
      deliver("device-" + (char) ('a' + i), 0, 1);
      if (i % 3 == 0) {
        book.flush(100);
      }
    }
    List<String> found = new ArrayList<>();
    for (List<String> page = names("", 7); !page.isEmpty(); page = names(found.getLast(), 7)) {
      found.addAll(page);
    }
    assertThat(found).hasSize(20).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void whoDoesNotHaveAllOfItIsMissing() {
    for (int i = 0; i < 9; i++) {
      String device = "device-" + i;
      if (i % 3 == 0) {
        // Has something else.
        book.entry(subject("edge", 2), Device.proved(device))
            .delivered(new ByteRange(0, 1), Duration.ZERO);
      } else {
        deliver(device, 0, i % 3 == 1 ? 1000 : 999);
      }
    }
    assertThat(book.missing(SUBJECT, "", 10)).isEmpty();
    book.flush(100);
    assertThat(missing("", 10))
        .containsExactly("device-0", "device-2", "device-3", "device-5", "device-6", "device-8");
    assertThat(book.missing(SUBJECT, "", 1)).containsExactly(DeviceProgress.nothing("device-0"));
    // The last bytes are not in the store yet; a page is full nevertheless.
    deliver("device-2", 999, 1);
    deliver("device-3", 0, 1000);
    deliver("device-5", 0, 5);
    assertThat(missing("", 2)).containsExactly("device-0", "device-5");
    assertThat(missing("device-5", 2)).containsExactly("device-6", "device-8");
    book.flush(100);
    assertThat(missing("", 9)).containsExactly("device-0", "device-5", "device-6", "device-8");
  }

  @Test
  void whatADeviceHasIsWrittenBeforeItIsRead() {
    deliver("a", 0, 10);
    deliver("b", 0, 20);
    assertThat(book.ofDevice("b", 9)).hasSize(1);
    assertThat(book.ofDevice("b", 9).getFirst().progress().delivered().count()).isEqualTo(20);
    assertThat(book.size()).isEqualTo(1);
    deliver("b", 20, 1);
    assertThat(book.flush(10)).isEqualTo(2);
    assertThat(book.flush(10)).isZero();
    assertThat(book.ofDevice("b", 9).getFirst().progress().delivered().count()).isEqualTo(21);
    assertThat(book.size()).isZero();
  }

  @Test
  void tellsOfWhatTheStoreHasNow() {
    deliver("a", 0, 10);
    book.flush(10);
    now = now.plusSeconds(2);
    deliver("a", 10, 10);
    book.entry(subject("edge", 2), Device.proved("b"))
        .delivered(new ByteRange(0, 1), Duration.ofSeconds(1));
    book.flush(10);
    assertThat(told)
        .containsExactly(
            new Addition(SUBJECT, device("a", 10, now.minusSeconds(2), now.minusSeconds(2)), null),
            new Addition(SUBJECT, device("a", 20, now.minusSeconds(2), now), null),
            new Addition(subject("edge", 2), device("b", 1, now.minusSeconds(1), now), null));
  }

  @Test
  void whatBrokeOffIsKnownUntilTheNextDoes() {
    Device device = Device.proved("a");
    book.entry(SUBJECT, device).failed(DeliveryError.Reason.ABORTED);
    assertThat(book.list(SUBJECT, "", 1).getFirst().lastError())
        .isEqualTo(new DeliveryError(DeliveryError.Reason.ABORTED, now));
    assertThat(book.list(SUBJECT, "", 1).getFirst().delivered()).isEqualTo(DeliveredBytes.NONE);
    book.flush(1);
    Instant then = now;
    now = now.plusSeconds(1);
    deliver("a", 0, 1000);
    assertThat(book.list(SUBJECT, "", 1).getFirst().lastError())
        .isEqualTo(new DeliveryError(DeliveryError.Reason.ABORTED, then));
    book.flush(1);
    now = now.plusSeconds(1);
    book.entry(SUBJECT, device).failed(DeliveryError.Reason.FAILED);
    book.flush(1);
    DeviceProgress last = book.list(SUBJECT, "", 1).getFirst();
    assertThat(last.lastError()).isEqualTo(new DeliveryError(DeliveryError.Reason.FAILED, now));
    assertThat(last.delivered().count()).isEqualTo(1000);
    assertThat(last.sending()).isEqualTo(new Sending(then, now, 1000, 0, Duration.ZERO));
  }

  @Test
  void aStoreThatFailsLosesNothing() {
    deliver("a", 0, 10);
    rows.fail(new CatalogUnavailableException("The store is away"));
    assertThatExceptionOfType(CatalogUnavailableException.class).isThrownBy(() -> book.flush(10));
    deliver("a", 10, 10);
    assertThatExceptionOfType(CatalogUnavailableException.class).isThrownBy(() -> book.flush(10));
    assertThat(book.size()).isEqualTo(2);
    rows.fail(null);
    assertThat(book.flush(10)).isEqualTo(2);
    assertThat(book.list(SUBJECT, "", 1).getFirst().delivered().count()).isEqualTo(20);
    assertThat(book.size()).isZero();
  }

  @Test
  void whatTheStoreWillNeverTakeIsNotOfferedForEver() {
    deliver("a", 0, 10);
    rows.fail(new IllegalStateException("A row is wrong"));
    assertThatIllegalStateException().isThrownBy(() -> book.flush(10));
    rows.fail(null);
    assertThat(book.flush(10)).isZero();
    assertThat(book.lost()).isEqualTo(1);
    deliver("x".repeat(ProgressBook.MAX_NAME_LENGTH + 1), 0, 1);
    deliver("a\0b", 0, 1);
    assertThat(book.lost()).isEqualTo(3);
    assertThat(book.size()).isZero();
  }

  /** One anonymous client cannot take the room of the others, nor the memory. */
  @Test
  void inventedNamesAreBoundedByTheirAddress() {
    for (int i = 0; i < 100_000; i++) {
      book.entry(SUBJECT, Device.claimed("invented-" + i, "192.0.2.1"))
          .delivered(new ByteRange(0, 1), Duration.ZERO);
    }
    assertThat(book.size()).isEqualTo(10);
    assertThat(book.lost()).isEqualTo(100_000 - 10);
    book.entry(SUBJECT, Device.claimed("neighbour", "192.0.2.2"))
        .delivered(new ByteRange(0, 1), Duration.ZERO);
    deliver("known", 0, 1);
    assertThat(names("", 100)).contains("neighbour", "known").hasSize(12);
    book.flush(100);
    book.entry(SUBJECT, Device.claimed("again", "192.0.2.1"))
        .delivered(new ByteRange(0, 1), Duration.ZERO);
    assertThat(book.size()).isEqualTo(1);
  }

  /** Nor can whoever has a token: as much is left to the others. */
  @Test
  void namesOfOneCallerLeaveRoom() {
    for (int i = 0; i < 10_000; i++) {
      book.entry(SUBJECT, Device.named("invented-" + i, "token"))
          .delivered(new ByteRange(0, 1), Duration.ZERO);
    }
    assertThat(book.size()).isEqualTo(500);
    for (int i = 0; i < 10_000; i++) {
      book.entry(SUBJECT, Device.named("other-" + i, "another token"))
          .delivered(new ByteRange(0, 1), Duration.ZERO);
    }
    assertThat(book.size()).isEqualTo(750);
    for (int i = 0; i < 250; i++) {
      deliver("known-" + i, 0, 1);
    }
    assertThat(book.size()).isEqualTo(1000);
  }

  /** With a new name in each request, one token could fill the disk. */
  @Test
  void aCallerBeginsSoManyADay() {
    for (int i = 0; i < 500; i++) {
      named("invented-" + i, "token");
      if (i % 20 == 0) {
        book.flush(100);
      }
    }
    book.flush(100);
    assertThat(book.lost()).isEqualTo(500 - 50);
    assertThat(rows.count()).isEqualTo(50);
    // Known devices are still taken down, and so are those of other callers.
    named("invented-0", "token");
    named("device-7", "other token");
    deliver("proved", 0, 1);
    book.flush(10);
    assertThat(book.lost()).isEqualTo(500 - 50);
    assertThat(names("", 100)).hasSize(52).contains("device-7", "proved");
    now = now.plus(Duration.ofDays(1));
    named("invented-499", "token");
    book.flush(10);
    assertThat(names("", 100)).hasSize(53);
    assertThat(book.size()).isZero();
  }

  @Test
  void theStoreHasSoManyRows() {
    rows.pretend(100_000 - 2);
    book.count();
    for (int i = 0; i < 5; i++) {
      deliver("device-" + i, 0, 1);
    }
    book.flush(10);
    assertThat(book.lost()).isEqualTo(3);
    deliver("device-0", 1, 1);
    book.flush(1);
    assertThat(book.lost()).isEqualTo(3);
    // Old ones were forgotten.
    rows.pretend(500);
    book.count();
    deliver("device-4", 0, 1);
    book.flush(1);
    assertThat(names("", 100)).containsExactly("device-0", "device-1", "device-4");
  }

  private void named(String device, String token) {
    book.entry(SUBJECT, Device.named(device, token)).delivered(new ByteRange(0, 1), Duration.ZERO);
  }

  /** Each piece needs memory; a client that asks for one byte here and one there has thousands. */
  @Test
  void manyPiecesCountAsSeveralDevices() {
    ProgressSubject large = new ProgressSubject("edge", SUBJECT.sha256(), 1 << 20);
    Device known = Device.proved("known");
    // The last one merges those before it.
    for (int i = 0; i < 128 + 1; i++) {
      book.entry(large, known).delivered(new ByteRange(2L * i, 1), Duration.ZERO);
    }
    assertThat(book.size()).isEqualTo(1 + 128 / 16);
    assertThat(book.lost()).isZero();
    // Ranges in one piece again count as one, as soon as they are merged.
    for (int i = 0; i < 128; i++) {
      book.entry(large, known).delivered(new ByteRange(0, 300), Duration.ZERO);
    }
    assertThat(book.size()).isEqualTo(1);
    for (int i = 0; i < 1000; i++) {
      book.entry(large, Device.claimed("stranger", "192.0.2.1"))
          .delivered(new ByteRange(2L * i, 1), Duration.ZERO);
    }
    // It had 128 pieces, and there was no room for 128 more.
    assertThat(book.size()).isEqualTo(1 + 1 + 128 / 16);
    long kept = 128 + 15;
    // Some are not merged yet.
    assertThat(book.lost()).isBetween(1000 - 2 * kept, 1000 - kept);
    assertThat(book.flush(10)).isEqualTo(2);
    assertThat(book.size()).isZero();
    book.entry(large, Device.claimed("stranger", "192.0.2.1"))
        .delivered(new ByteRange(0, 1), Duration.ZERO);
    assertThat(book.size()).isEqualTo(1);
  }

  @Test
  void devicesBeyondTheBoundAreNotTakenDown() {
    for (int i = 0; i < 2000; i++) {
      deliver("device-" + i, 0, 1);
    }
    assertThat(book.size()).isEqualTo(1000);
    assertThat(book.lost()).isEqualTo(1000);
    deliver("device-0", 1, 1);
    assertThat(book.lost()).isEqualTo(1000);
  }

  @Test
  void nothingIsLostBetweenManyThreads() throws Exception {
    int ranges = 20_000;
    try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
      List<Future<?>> done = new ArrayList<>();
      for (int t = 0; t < 4; t++) {
        int first = t;
        done.add(
            threads.submit(() -> {
              ProgressBook.Entry entry = book.entry(SUBJECT, Device.proved("device"));
              for (int i = first * ranges / 4; i < (first + 1) * ranges / 4; i++) {
                entry.delivered(new ByteRange(3L * i, 3), Duration.ZERO);
                if (i % 100 == 0) {
                  book.flush(1);
                }
              }
            }));
      }
      for (Future<?> each : done) {
        each.get();
      }
    }
    while (book.flush(100) > 0) {}
    assertThat(book.list(SUBJECT, "", 1).getFirst().delivered().count()).isEqualTo(3L * ranges);
    assertThat(book.size()).isZero();
  }

  private void deliver(String device, long position, long length) {
    book.entry(SUBJECT, Device.proved(device))
        .delivered(new ByteRange(position, length), Duration.ZERO);
  }

  private static DeviceProgress device(String name, long bytes, Instant began, Instant ended) {
    return new DeviceProgress(
        name,
        DeliveredBytes.of(new ByteRange(0, bytes)),
        new Sending(began, ended, bytes, 0, Duration.ZERO),
        null);
  }

  private List<String> names(String after, int limit) {
    return book.list(SUBJECT, after, limit).stream().map(DeviceProgress::device).toList();
  }

  private List<String> missing(String after, int limit) {
    return book.missing(SUBJECT, after, limit).stream().map(DeviceProgress::device).toList();
  }

  private static ProgressSubject subject(String repository, int digest) {
    byte[] bytes = new byte[32];
    bytes[0] = (byte) digest;
    return new ProgressSubject(repository, Digest.of(DigestAlgorithm.SHA_256, bytes), 1000);
  }
}
