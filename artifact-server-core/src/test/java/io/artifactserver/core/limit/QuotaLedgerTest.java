package io.artifactserver.core.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.artifactserver.core.limit.QuotaLedger.Reservation;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

class QuotaLedgerTest {
  private static final String EDGE = "edge";

  private final InMemoryQuotaStore store = new InMemoryQuotaStore();
  private final QuotaLedger ledger = new QuotaLedger(store);

  @Test
  void aRepositoryWithoutAQuotaTakesEverythingAndIsNeverAddedUp() throws Exception {
    for (int i = 0; i < 3; i++) {
      add(Long.MAX_VALUE / 2);
    }
    assertThat(store.sums()).isZero();
  }

  @Test
  void reservesToTheLastByteAndTheLastArtifact() throws Exception {
    ledger.put(EDGE, new RepositoryQuota(100, 2));
    try (Reservation first = ledger.reserve(EDGE, 60);
        Reservation second = ledger.reserve(EDGE, 0)) {
      assertRefused(0, "2 artifacts");
      second.growTo(40);
      assertThatExceptionOfType(OverQuotaException.class)
          .isThrownBy(() -> second.growTo(41))
          .withMessageContaining("100 bytes")
          // Nobody is told how much others have there.
          .withMessageNotContaining("101");
      second.growTo(40);
      assertThat(ledger.standing(EDGE).reserved()).isEqualTo(new RepositoryUsage(100, 2));
      first.growTo(1);
    }
    assertThat(ledger.standing(EDGE).reserved()).isEqualTo(RepositoryUsage.EMPTY);
    add(100);
    assertRefused(1, "100 bytes");
    add(0);
    assertRefused(0, "2 artifacts");
    assertThat(ledger.standing(EDGE).used()).isEqualTo(new RepositoryUsage(100, 2));
  }

  /** Only the whole is an artifact, and no byte of its room is free in between. */
  @Test
  void theRoomOfPartsBecomesThatOfTheWhole() throws Exception {
    ledger.put(EDGE, new RepositoryQuota(100, 1));
    try (Reservation whole = ledger.reserve(EDGE, 0);
        Reservation first = ledger.reserveBytes(EDGE, 60);
        Reservation second = ledger.reserveBytes(EDGE, 40)) {
      assertThat(ledger.standing(EDGE).reserved()).isEqualTo(new RepositoryUsage(100, 1));
      assertThatExceptionOfType(OverQuotaException.class)
          .isThrownBy(() -> ledger.reserveBytes(EDGE, 1).close())
          .withMessageContaining("100 bytes");
      whole.absorb(first);
      whole.absorb(second);
      assertThat(ledger.standing(EDGE).reserved()).isEqualTo(new RepositoryUsage(100, 1));
      whole.growTo(100);
      try (Reservation elsewhere = ledger.reserve("other", 1)) {
        assertThatIllegalArgumentException().isThrownBy(() -> whole.absorb(elsewhere));
      }
    }
    assertThat(ledger.standing(EDGE).reserved()).isEqualTo(RepositoryUsage.EMPTY);
  }

  @Test
  void whatIsDeletedMakesRoom() throws Exception {
    ledger.put(EDGE, new RepositoryQuota(100, RepositoryQuota.NO_LIMIT));
    add(100);
    assertRefused(1, "100 bytes");
    store.add(EDGE, -100);
    add(100);
  }

  @Test
  void aQuotaThatChangesCountsForUploadsThatRun() throws Exception {
    try (Reservation running = ledger.reserve(EDGE, 50)) {
      ledger.put(EDGE, new RepositoryQuota(60, 5));
      assertRefused(11, "60 bytes");
      running.growTo(60);
      assertThatExceptionOfType(OverQuotaException.class).isThrownBy(() -> running.growTo(61));
      ledger.put(EDGE, new RepositoryQuota(0, 0));
      assertRefused(0, "0 artifacts");
      ledger.put(EDGE, RepositoryQuota.NONE);
      running.growTo(1L << 40);
    }
  }

  @Test
  void anAdditionOfUnknownOutcomeIsAskedFor() throws Exception {
    ledger.put(EDGE, new RepositoryQuota(100, 10));
    try (Reservation place = ledger.reserve(EDGE, 70)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() ->
              place.adding(
                  () -> {
                    store.add(EDGE, 70);
                    throw new IllegalArgumentException("The connection broke");
                  },
                  _ -> true));
    }
    assertRefused(31, "100 bytes");
    add(30);
  }

  @Test
  void aRepositoryThatDoesNotExistHasNoQuota() {
    assertThat(ledger.put("absent", new RepositoryQuota(1, 1))).isFalse();
    assertThatIllegalArgumentException().isThrownBy(() -> new RepositoryQuota(-1, 0));
    assertThatIllegalArgumentException().isThrownBy(() -> new RepositoryQuota(0, -1));
  }

  /** Fifty uploads at once, a third of which break off: never one too many, never one too few. */
  @RepeatedTest(20)
  void isExactUnderFiftyUploadsAtOnce() throws Exception {
    int uploads = 50;
    int room = 10;
    ledger.put(EDGE, new RepositoryQuota(room * 7L, RepositoryQuota.NO_LIMIT));
    CyclicBarrier start = new CyclicBarrier(uploads);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Boolean>> results = new ArrayList<>();
      for (int i = 0; i < uploads; i++) {
        boolean isCut = i % 3 == 0;
        results.add(
            threads.submit(() -> {
              start.await();
              return upload(isCut);
            }));
      }
      int added = 0;
      for (Future<Boolean> result : results) {
        added += result.get() ? 1 : 0;
      }
      assertThat(store.usage(EDGE)).isEqualTo(new RepositoryUsage(added * 7L, added));
      assertThat(added).isLessThanOrEqualTo(room);
      for (int i = added; i < room; i++) {
        assertThat(upload(false)).isTrue();
      }
      assertThat(upload(false)).isFalse();
    }
    assertThat(ledger.standing(EDGE).reserved()).isEqualTo(RepositoryUsage.EMPTY);
  }

  /** Returns false if there was no room, or it broke off. */
  private boolean upload(boolean isCut) {
    try (Reservation place = ledger.reserve(EDGE, 3)) {
      place.growTo(7);
      if (isCut) {
        return false;
      }
      return place.adding(
          () -> {
            store.add(EDGE, 7);
            return true;
          },
          added -> added);
    } catch (OverQuotaException e) {
      return false;
    }
  }

  private void add(long length) throws OverQuotaException {
    try (Reservation place = ledger.reserve(EDGE, length)) {
      var _ =
          place.adding(
              () -> {
                store.add(EDGE, length);
                return true;
              },
              added -> added);
    }
  }

  private void assertRefused(long length, String reason) {
    assertThatExceptionOfType(OverQuotaException.class)
        .isThrownBy(() -> ledger.reserve(EDGE, length).close())
        .withMessageContaining(reason);
  }
}
