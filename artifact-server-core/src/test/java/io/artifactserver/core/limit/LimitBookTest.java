package io.artifactserver.core.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is set counts at once, and after the next start. */
class LimitBookTest {
  private static final long NONE = RepositoryLimits.NO_LIMIT;
  private static final QueueBounds BOUNDS = new QueueBounds(10, 10);

  private final SimulatedTime time = new SimulatedTime();
  private final InMemoryLimitStore store = new InMemoryLimitStore();

  @Test
  void aLimitIsSetAndTakenAway() {
    LimitBook book = new LimitBook(store, NONE, BOUNDS, time, time);
    assertThat(book.isEmpty()).isTrue();
    assertThat(book.lane("edge").isOpen()).isTrue();
    RepositoryLimits limits = new RepositoryLimits(1000, 2);
    assertThat(book.put("edge", limits)).isTrue();
    assertThat(book.limits("edge")).isEqualTo(limits);
    assertThat(book.lane("other").isOpen()).isTrue();
    Lane lane = book.lane("edge");
    assertThat(lane.buckets()).hasSize(1);
    assertThat(new LimitBook(store, NONE, BOUNDS, time, time).limits("edge")).isEqualTo(limits);
    assertThat(lane.buckets().getFirst().take(1000, () -> {})).isFalse();
    assertThat(book.put("edge", RepositoryLimits.NONE)).isTrue();
    assertThat(lane.buckets().getFirst().waiting()).isZero();
    assertThat(book.isEmpty()).isTrue();
    assertThat(book.put("absent", limits)).isFalse();
    assertThat(book.isEmpty()).isTrue();
  }

  @Test
  void aNewLimitKeepsTheDownloadsThatAreCounted() {
    LimitBook book = new LimitBook(store, NONE, BOUNDS, time, time);
    book.put("edge", new RepositoryLimits(NONE, 1));
    DownloadQueue queue = book.lane("edge").queue().orElseThrow();
    assertThat(queue.enter("client", _ -> {})).isPresent();
    DownloadQueue.Place second = queue.enter("client", _ -> {}).orElseThrow();
    book.put("edge", new RepositoryLimits(5, 2));
    assertThat(second.isWaiting()).isFalse();
    assertThat(book.lane("edge").queue()).containsSame(queue);
  }

  @Test
  void theServersLimitIsBehindThatOfARepository() {
    LimitBook book = new LimitBook(store, 5000, BOUNDS, time, time);
    book.put("edge", new RepositoryLimits(1000, NONE));
    assertThat(book.lane("other").isOpen()).isFalse();
    assertThat(book.lane("other").buckets()).hasSize(1);
    assertThat(book.lane("edge").buckets()).hasSize(2).endsWith(book.open().buckets().getFirst());
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -1, Long.MIN_VALUE, RepositoryLimits.MAX_BYTES_PER_SECOND + 1})
  void whatIsNoLimitIsRefused(long number) {
    assertThatIllegalArgumentException().isThrownBy(() -> new RepositoryLimits(number, 1));
    assertThatIllegalArgumentException().isThrownBy(() -> new RepositoryLimits(1, number));
  }
}
