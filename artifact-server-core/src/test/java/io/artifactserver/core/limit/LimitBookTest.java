package io.artifactserver.core.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A limit counts as soon as it is set, and after the next start. */
class LimitBookTest {
  private static final DownloadQueue.Download DOWNLOAD =
      new DownloadQueue.Download() {
        @Override
        public void begin(DownloadQueue.Place place) {}

        @Override
        public boolean isSlow() {
          return false;
        }
      };

  private static final long NONE = RepositoryLimits.NO_LIMIT;
  private static final Optional<InetAddress> HERE = Optional.of(InetAddress.ofLiteral("127.0.0.1"));
  private static final QueueBounds BOUNDS = new QueueBounds(10, 10);

  private final SimulatedTime time = new SimulatedTime();
  private final InMemoryLimitStore store = new InMemoryLimitStore();

  @Test
  void aLimitIsSetAndTakenAway() {
    LimitBook book = new LimitBook(store, NONE, BOUNDS, time, time);
    assertThat(book.table().isEmpty()).isTrue();
    assertThat(book.table().lane("edge")).isSameAs(book.table().open());
    RepositoryLimits limits = new RepositoryLimits(1000, 2);
    assertThat(book.put("edge", limits)).isTrue();
    assertThat(book.table().limits("edge")).isEqualTo(limits);
    assertThat(book.table().lane("other")).isSameAs(book.table().open());
    Lane lane = book.table().lane("edge");
    assertThat(lane.buckets()).hasSize(1);
    assertThat(new LimitBook(store, NONE, BOUNDS, time, time).table().limits("edge"))
        .isEqualTo(limits);
    assertThat(lane.buckets().getFirst().take(1000, () -> {})).isFalse();
    assertThat(book.put("edge", RepositoryLimits.NONE)).isTrue();
    assertThat(lane.buckets().getFirst().waiting()).isZero();
    assertThat(book.table().isEmpty()).isTrue();
    assertThat(book.put("absent", limits)).isFalse();
    assertThat(book.table().isEmpty()).isTrue();
  }

  @Test
  void aNewLimitKeepsTheDownloadsThatAreCounted() {
    LimitBook book = new LimitBook(store, NONE, BOUNDS, time, time);
    book.put("edge", new RepositoryLimits(NONE, 1));
    DownloadQueue queue = book.table().lane("edge").queue().orElseThrow();
    assertThat(queue.enter("client", DOWNLOAD)).isPresent();
    DownloadQueue.Place second = queue.enter("client", DOWNLOAD).orElseThrow();
    book.put("edge", new RepositoryLimits(5, 2));
    assertThat(second.isWaiting()).isFalse();
    assertThat(book.table().lane("edge").queue()).containsSame(queue);
  }

  @Test
  void theServersLimitIsBehindThatOfARepository() {
    LimitBook book = new LimitBook(store, 5000, BOUNDS, time, time);
    book.put("edge", new RepositoryLimits(1000, NONE));
    assertThat(book.table().lane("other").buckets()).hasSize(1);
    assertThat(book.table().lane("edge").buckets())
        .hasSize(2)
        .endsWith(book.table().open().buckets().getFirst());
  }

  @Test
  void limitsOfClassesComeInTheirOrder() {
    LimitBook book = new LimitBook(store, 5000, BOUNDS, time, time);
    book.put("edge", new RepositoryLimits(1000, NONE));
    assertThat(book.table().hasClasses()).isFalse();
    book.put(site("a", 1));
    book.put(new NamedLimit("b", 2, List.of(), List.of("device"), List.of()));
    book.put(new NamedLimit("c", 3, List.of(), List.of(), List.of()));
    LimitTable table = book.table();
    assertThat(table.named()).extracting(NamedLimit::name).containsExactly("a", "b", "c");
    assertThat(table.hasClasses()).isTrue();
    assertThat(table.asksForCallers()).isTrue();
    // The one that asks for the caller, then the one for the address.
    assertThat(table.classes("device", "", HERE)).hasSize(2);
    assertThat(table.classes("device", "", HERE).getLast())
        .isSameAs(table.classes("anonymous", "", HERE).getFirst());
    assertThat(table.classes("anonymous", "", Optional.empty())).isEmpty();
    // The repository, everything and the server.
    assertThat(table.lane("edge").buckets()).hasSize(3);
    assertThat(table.open().buckets())
        .hasSize(2)
        .isEqualTo(table.lane("edge").buckets().subList(1, 3));
    assertThat(new LimitBook(store, NONE, BOUNDS, time, time).table().named())
        .isEqualTo(table.named());
  }

  @Test
  void aLimitOfAClassChangesForThoseWhoWait() {
    LimitBook book = new LimitBook(store, NONE, BOUNDS, time, time);
    assertThat(book.put(site("a", 1))).isEmpty();
    TokenBucket bucket = bucketHere(book);
    assertThat(bucket.take(10_000, () -> {})).isFalse();
    assertThat(book.put(site("a", 20_000))).contains(site("a", 1));
    assertThat(bucketHere(book)).isSameAs(bucket);
    time.pass(1);
    assertThat(bucket.waiting()).isZero();
    assertThat(bucket.take(10_000, () -> {})).isTrue();
    assertThat(bucket.take(10_000, () -> {})).isFalse();
    // Others pass it from now on.
    NamedLimit elsewhere =
        new NamedLimit("a", 1, List.of(Network.parse("10.0.0.0/8")), List.of(), List.of());
    assertThat(book.put(elsewhere)).contains(site("a", 20_000));
    assertThat(bucket.waiting()).isZero();
    assertThat(book.table().classes("anonymous", "", HERE)).isEmpty();
    book.put(site("a", 1));
    TokenBucket last = bucketHere(book);
    assertThat(last.take(10_000, () -> {})).isFalse();
    assertThat(book.delete("a")).contains(site("a", 1));
    assertThat(last.waiting()).isZero();
    assertThat(book.table().hasClasses()).isFalse();
    assertThat(store.named()).isEmpty();
    assertThat(book.delete("a")).isEmpty();
  }

  @Test
  void thereAreOnlySoManyLimitsOfClasses() {
    LimitBook book = new LimitBook(store, NONE, BOUNDS, time, time);
    for (int i = 0; i < LimitBook.MAX_NAMED; i++) {
      book.put(site("site-" + i, 1));
    }
    assertThatIllegalArgumentException().isThrownBy(() -> book.put(site("more", 1)));
    assertThat(book.put(site("site-0", 2))).isPresent();
    assertThat(store.named()).hasSize(LimitBook.MAX_NAMED);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -1, Long.MIN_VALUE, RepositoryLimits.MAX_BYTES_PER_SECOND + 1})
  void whatIsNoLimitIsRefused(long number) {
    assertThatIllegalArgumentException().isThrownBy(() -> new RepositoryLimits(number, 1));
    assertThatIllegalArgumentException().isThrownBy(() -> new RepositoryLimits(1, number));
  }

  private static NamedLimit site(String name, long rate) {
    return new NamedLimit(name, rate, List.of(Network.parse("127.0.0.0/8")), List.of(), List.of());
  }

  private static TokenBucket bucketHere(LimitBook book) {
    return book.table().classes("anonymous", "", HERE).getFirst();
  }
}
