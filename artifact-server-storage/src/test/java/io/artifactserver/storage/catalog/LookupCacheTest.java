package io.artifactserver.storage.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.artifactserver.core.catalog.CatalogUnavailableException;
import io.artifactserver.core.waiting.Eventually;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LookupCacheTest {
  private static final Duration LONG = Duration.ofHours(1);

  private final Map<String, Object> database = new ConcurrentHashMap<>();
  private final AtomicInteger queries = new AtomicInteger();

  /** Neither those of other keys, even of the same bin of a hash table, nor what is remembered. */
  @Test
  void nobodyWaitsForAnothersQuery() throws Exception {
    CountDownLatch slow = new CountDownLatch(1);
    database.put("warm", "value");
    LookupCache<Integer, Object> cache =
        new LookupCache<>(
            key -> {
              if (key == 0) {
                awaitQuietly(slow);
              }
              return Optional.of("value");
            },
            new CatalogProperties(100_000, LONG, LONG),
            Runnable::run);
    assertThat(cache.find(1)).contains("value");
    try (ExecutorService threads = Executors.newSingleThreadExecutor()) {
      Future<Optional<Object>> stuck = threads.submit(() -> cache.find(0));
      // As many as any table has bins.
      for (int key = 1; key < 50_000; key++) {
        assertThat(cache.find(key)).isPresent();
        assertThat(cache.peek(key)).isPresent();
      }
      assertThat(cache.peek(0)).isEmpty();
      slow.countDown();
      assertThat(stuck.get()).contains("value");
    }
  }

  @Test
  void whoAsksForTheSameSharesTheQuery() throws Exception {
    CountDownLatch slow = new CountDownLatch(1);
    database.put("a", "value");
    LookupCache<String, Object> cache = cache(slow);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Optional<Object>>> asked = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        asked.add(threads.submit(() -> cache.find("a")));
      }
      Eventually.eventually("one asks", () -> queries.get() == 1);
      slow.countDown();
      for (Future<Optional<Object>> each : asked) {
        assertThat(each.get()).contains("value");
      }
    }
    assertThat(queries).hasValue(1);
  }

  @Test
  void whatIsForgottenDuringItsQueryIsNotRemembered() throws Exception {
    CountDownLatch slow = new CountDownLatch(1);
    database.put("a", "old");
    LookupCache<String, Object> cache = cache(slow);
    try (ExecutorService threads = Executors.newSingleThreadExecutor()) {
      Future<Optional<Object>> asked = threads.submit(() -> cache.find("a"));
      Eventually.eventually("it asks", () -> queries.get() == 1);
      cache.forget("a");
      slow.countDown();
      assertThat(asked.get()).contains("old");
    }
    assertThat(cache.peek("a")).isEmpty();
  }

  @Test
  void whatIsNotThereOrCannotBeAskedIsAskedForAgain() {
    LookupCache<String, Object> cache =
        new LookupCache<>(
            key -> {
              if (queries.incrementAndGet() == 2) {
                throw new CatalogUnavailableException("planted", new IllegalStateException());
              }
              return Optional.ofNullable(database.get(key));
            },
            new CatalogProperties(10, LONG, LONG),
            Runnable::run);
    assertThat(cache.find("a")).isEmpty();
    assertThatThrownBy(() -> cache.find("a")).isInstanceOf(CatalogUnavailableException.class);
    database.put("a", "value");
    assertThat(cache.find("a")).contains("value");
    assertThat(cache.find("a")).contains("value");
    assertThat(queries).hasValue(3);
  }

  /** A caller gets the remembered value, while somebody else asks the database. */
  @Test
  void anEntryInUseIsRefreshedBeforeItsTimeIsOver() {
    List<Runnable> refreshes = new ArrayList<>();
    Object first = new String("value");
    database.put("a", first);
    AtomicLong now = new AtomicLong();
    LookupCache<String, Object> cache =
        new LookupCache<>(
            this::query, new CatalogProperties(10, LONG, LONG), refreshes::add, now::get);
    assertThat(cache.find("a")).containsSame(first);
    assertThat(cache.peek("a")).containsSame(first);
    assertThat(refreshes).isEmpty();
    now.set(LONG.toNanos() * 3 / 4);
    assertThat(cache.peek("a")).containsSame(first);
    assertThat(cache.peek("a")).containsSame(first);
    assertThat(refreshes).hasSize(1);
    assertThat(queries).hasValue(1);
    database.put("a", new String("value"));
    refreshes.removeFirst().run();
    assertThat(cache.peek("a")).as("nothing has changed").containsSame(first);
    assertThat(queries).hasValue(2);
    now.addAndGet(LONG.toNanos() * 3 / 4);
    assertThat(cache.peek("a")).as("its time began again").containsSame(first);
    now.addAndGet(2 * LONG.toNanos());
    assertThat(cache.peek("a")).isEmpty();
  }

  @Test
  void anEntryIsGoodForLongerWhileTheDatabaseCannotBeAsked() {
    List<Runnable> refreshes = new ArrayList<>();
    AtomicLong now = new AtomicLong();
    AtomicBoolean isDown = new AtomicBoolean();
    LookupCache<String, Object> cache =
        new LookupCache<>(
            key -> {
              if (isDown.get()) {
                throw new CatalogUnavailableException("planted");
              }
              return query(key);
            },
            new CatalogProperties(10, LONG, LONG.multipliedBy(2)),
            refreshes::add,
            now::get);
    database.put("a", "old");
    database.put("b", "old");
    assertThat(cache.find("a")).contains("old");
    assertThat(cache.find("b")).contains("old");
    isDown.set(true);
    now.addAndGet(LONG.toNanos());
    assertThat(cache.peek("a")).as("nobody knows yet that it is down").isEmpty();
    assertThat(cache.find("a")).contains("old");
    assertThat(cache.peek("a")).contains("old");
    assertThat(cache.peek("b")).contains("old");
    cache.forget("b");
    assertThat(cache.peek("b")).as("what is revoked here stays revoked").isEmpty();
    assertThatThrownBy(() -> cache.find("b")).isInstanceOf(CatalogUnavailableException.class);
    assertThatThrownBy(() -> cache.find("c")).isInstanceOf(CatalogUnavailableException.class);

    isDown.set(false);
    database.put("a", "new");
    now.addAndGet(Duration.ofSeconds(2).toNanos());
    assertThat(cache.peek("a")).contains("old");
    runAll(refreshes);
    assertThat(cache.peek("a")).as("somebody saw that it is back").contains("new");

    isDown.set(true);
    now.addAndGet(LONG.toNanos() * 5 / 2);
    assertThat(cache.find("a")).contains("new");
    now.addAndGet(LONG.toNanos() / 2);
    assertThat(cache.peek("a")).as("there is an end to it").isEmpty();
    assertThatThrownBy(() -> cache.find("a")).isInstanceOf(CatalogUnavailableException.class);
  }

  /** One refresh may ask for another. */
  private static void runAll(List<Runnable> refreshes) {
    while (!refreshes.isEmpty()) {
      refreshes.removeFirst().run();
    }
  }

  private LookupCache<String, Object> cache(CountDownLatch slow) {
    return new LookupCache<>(
        key -> {
          Optional<Object> found = query(key);
          awaitQuietly(slow);
          return found;
        },
        new CatalogProperties(10, LONG, LONG),
        Runnable::run);
  }

  private Optional<Object> query(String key) {
    queries.incrementAndGet();
    return Optional.ofNullable(database.get(key));
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
