package io.artifactserver.core.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.limit.DownloadQueue.Place;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Who may begin, and when. */
class DownloadQueueTest {
  private static final QueueBounds BOUNDS = new QueueBounds(50, 50);

  private final List<Integer> begun = new ArrayList<>();

  @Test
  void othersWaitInTheOrderInWhichTheyCame() {
    DownloadQueue queue = new DownloadQueue(2, BOUNDS);
    List<Place> places = enter(queue, 0, 5);
    assertThat(begun).containsExactly(0, 1);
    assertThat(queue.waiting()).isEqualTo(3);
    assertThat(places.get(2).isWaiting()).isTrue();
    assertThat(places.get(1).leave()).isFalse();
    assertThat(begun).containsExactly(0, 1, 2);
    // Nobody leaves twice.
    assertThat(places.get(1).leave()).isFalse();
    assertThat(begun).containsExactly(0, 1, 2);
    // One that goes away never begins.
    assertThat(places.get(3).leave()).isTrue();
    assertThat(places.get(0).leave()).isFalse();
    assertThat(begun).containsExactly(0, 1, 2, 4);
    assertThat(queue.waiting()).isZero();
  }

  @Test
  void aChangeCountsAtOnce() {
    DownloadQueue queue = new DownloadQueue(1, BOUNDS);
    List<Place> places = new ArrayList<>(enter(queue, 0, 4));
    queue.setMost(3);
    assertThat(begun).containsExactly(0, 1, 2);
    queue.setMost(1);
    places.get(0).leave();
    places.get(1).leave();
    assertThat(begun).containsExactly(0, 1, 2);
    places.get(2).leave();
    assertThat(begun).containsExactly(0, 1, 2, 3);
    places.addAll(enter(queue, 4, 6));
    queue.setMost(RepositoryLimits.NO_LIMIT);
    assertThat(begun).containsExactly(0, 1, 2, 3, 4, 5);
  }

  @Test
  void theQueueHasAnEnd() {
    DownloadQueue queue = new DownloadQueue(1, BOUNDS);
    List<Place> places = enter(queue, 0, 1 + BOUNDS.places());
    assertThat(queue.enter("any", _ -> begun.add(-1))).isEmpty();
    places.getFirst().leave();
    assertThat(queue.enter("any", _ -> begun.add(-1))).isPresent();
    assertThat(begun).containsExactly(0, 1);
  }

  @Test
  void oneClientLeavesPlacesToOthers() {
    DownloadQueue queue = new DownloadQueue(1, new QueueBounds(5, 2));
    Place running = queue.enter("a", _ -> begun.add(0)).orElseThrow();
    Place second = queue.enter("a", _ -> begun.add(1)).orElseThrow();
    assertThat(queue.enter("a", _ -> begun.add(2))).isPresent();
    assertThat(queue.enter("a", _ -> begun.add(-1))).isEmpty();
    assertThat(queue.enter("b", _ -> begun.add(3))).isPresent();
    // What runs does not count, nor what has left.
    running.leave();
    assertThat(begun).containsExactly(0, 1);
    Place third = queue.enter("a", _ -> begun.add(4)).orElseThrow();
    assertThat(queue.enter("a", _ -> begun.add(-1))).isEmpty();
    third.leave();
    assertThat(queue.enter("a", _ -> begun.add(5))).isPresent();
    second.leave();
    assertThat(begun).containsExactly(0, 1, 2);
  }

  @Test
  void whoDoesNotWaitTakesATurnThatNobodyWaitsFor() {
    DownloadQueue queue = new DownloadQueue(2, BOUNDS);
    assertThat(queue.beginNow()).isTrue();
    Place place = enter(queue, 0, 1).getFirst();
    assertThat(queue.beginNow()).isFalse();
    List<Place> waiting = enter(queue, 1, 3);
    queue.end();
    assertThat(begun).containsExactly(0, 1);
    // There is a turn soon, but it is another's.
    queue.setMost(1);
    place.leave();
    assertThat(queue.beginNow()).isFalse();
    waiting.getFirst().leave();
    assertThat(begun).containsExactly(0, 1, 2);
    waiting.getLast().leave();
    assertThat(queue.beginNow()).isTrue();
    assertThat(queue.beginNow()).isFalse();
    queue.end();
    assertThat(enter(queue, 3, 4).getFirst().isWaiting()).isFalse();
  }

  /** A turn that is lost between two threads would let the others wait for ever. */
  @Test
  void noTurnIsLostBetweenManyThreads() throws Exception {
    int most = 2;
    DownloadQueue queue = new DownloadQueue(most, BOUNDS);
    AtomicInteger running = new AtomicInteger();
    AtomicInteger highest = new AtomicInteger();
    try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
      List<Future<?>> done = new ArrayList<>();
      for (int t = 0; t < 4; t++) {
        done.add(
            threads.submit(() -> {
              for (int i = 0; i < 20_000; i++) {
                boolean isNow = queue.beginNow();
                CompletableFuture<Void> turn = new CompletableFuture<>();
                Optional<Place> place =
                    isNow ? Optional.empty() : queue.enter("any", _ -> turn.complete(null));
                if (!isNow) {
                  turn.get(30, TimeUnit.SECONDS);
                }
                highest.accumulateAndGet(running.incrementAndGet(), Math::max);
                running.decrementAndGet();
                place.ifPresentOrElse(Place::leave, queue::end);
              }
              return null;
            }));
      }
      for (Future<?> each : done) {
        each.get();
      }
    }
    assertThat(highest.get()).isBetween(1, most);
    assertThat(queue.waiting()).isZero();
    assertThat(queue.beginNow()).isTrue();
  }

  private List<Place> enter(DownloadQueue queue, int from, int to) {
    List<Place> places = new ArrayList<>();
    for (int i = from; i < to; i++) {
      int number = i;
      places.add(queue.enter("any", _ -> begun.add(number)).orElseThrow());
    }
    return places;
  }
}
