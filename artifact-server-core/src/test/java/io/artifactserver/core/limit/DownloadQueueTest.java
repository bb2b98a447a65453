package io.artifactserver.core.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.limit.DownloadQueue.Download;
import io.artifactserver.core.limit.DownloadQueue.Place;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The order in which downloads may begin, and the moment. */
class DownloadQueueTest {
  private static final QueueBounds BOUNDS = new QueueBounds(50, 50);

  private final List<Integer> begun = new ArrayList<>();

  /** Scheduled with the timer, in order. */
  private final List<Runnable> looks = Collections.synchronizedList(new ArrayList<>());

  private final Set<Integer> slow = new HashSet<>();

  @Test
  void othersWaitInTheOrderInWhichTheyCame() {
    DownloadQueue queue = queue(2, BOUNDS);
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
    DownloadQueue queue = queue(1, BOUNDS);
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
    DownloadQueue queue = queue(1, BOUNDS);
    List<Place> places = enter(queue, 0, 1 + BOUNDS.places());
    assertThat(queue.enter("any", turn(-1))).isEmpty();
    places.getFirst().leave();
    assertThat(queue.enter("any", turn(-1))).isPresent();
    assertThat(begun).containsExactly(0, 1);
  }

  @Test
  void oneClientLeavesPlacesToOthers() {
    DownloadQueue queue = queue(1, new QueueBounds(5, 2));
    Place running = enter(queue, "a", 0);
    Place second = enter(queue, "a", 1);
    assertThat(queue.enter("a", turn(2))).isPresent();
    assertThat(queue.enter("a", turn(-1))).isEmpty();
    assertThat(queue.enter("b", turn(3))).isPresent();
    // A running download does not count, nor one that has left.
    running.leave();
    assertThat(begun).containsExactly(0, 1);
    Place third = enter(queue, "a", 4);
    assertThat(queue.enter("a", turn(-1))).isEmpty();
    third.leave();
    assertThat(queue.enter("a", turn(5))).isPresent();
    second.leave();
    assertThat(begun).containsExactly(0, 1, 3);
  }

  @Test
  void whoDoesNotWaitTakesATurnThatNobodyWaitsFor() {
    DownloadQueue queue = queue(2, BOUNDS);
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

  @Test
  void clientsTakeTurns() {
    DownloadQueue queue = queue(1, BOUNDS);
    Place running = enter(queue, "a", 0);
    for (int i = 1; i <= 3; i++) {
      enter(queue, "a", i);
    }
    enter(queue, "b", 10);
    enter(queue, "b", 11);
    enter(queue, "c", 20);
    running.leave();
    for (int i = 0; i < 5; i++) {
      queue.end();
    }
    assertThat(begun).containsExactly(0, 1, 10, 20, 2, 11, 3);
  }

  @Test
  void aClientThatSipsGivesItsPlaceUp() {
    DownloadQueue queue = queue(2, BOUNDS);
    Place sipping = enter(queue, "a", 0);
    enter(queue, "b", 1);
    assertThat(looks).isEmpty();
    enter(queue, "c", 2);
    look();
    assertThat(begun).containsExactly(0, 1);
    slow.add(0);
    look();
    assertThat(begun).containsExactly(0, 1, 2);
    assertThat(sipping.isSuspended()).isTrue();
    // Nobody waits any more.
    assertThat(looks).isEmpty();
    // It wants more, and waits for its turn, as others do.
    Place last = enter(queue, "d", 3);
    sipping.resume(() -> begun.add(100));
    assertThat(begun).containsExactly(0, 1, 2);
    last.leave();
    queue.end();
    assertThat(begun).containsExactly(0, 1, 2, 100);
    assertThat(sipping.isSuspended()).isFalse();
    // It has a place again, and gives it back.
    assertThat(queue.beginNow()).isFalse();
    assertThat(sipping.leave()).isFalse();
    assertThat(queue.beginNow()).isTrue();
  }

  @Test
  void aSuspendedDownloadThatEndsGivesNothingBackTwice() {
    DownloadQueue queue = queue(1, BOUNDS);
    Place sipping = enter(queue, "a", 0);
    Place waiting = enter(queue, "b", 1);
    slow.add(0);
    look();
    assertThat(begun).containsExactly(0, 1);
    assertThat(sipping.leave()).isFalse();
    assertThat(queue.beginNow()).isFalse();
    waiting.leave();
    assertThat(queue.beginNow()).isTrue();
  }

  /** Or it would keep what it holds for ever. */
  @Test
  void aSuspendedDownloadWhoseClientLeavesGoesOnToFindOut() {
    DownloadQueue queue = queue(1, BOUNDS);
    Place sipping = enter(queue, "a", 0);
    enter(queue, "b", 1);
    slow.add(0);
    look();
    sipping.resume(() -> begun.add(100));
    assertThat(queue.waiting()).isEqualTo(1);
    assertThat(sipping.leave()).isFalse();
    assertThat(begun).containsExactly(0, 1, 100);
    assertThat(queue.waiting()).isZero();
  }

  /** However fast it takes what it gets. */
  @Test
  void aClientWithManyPlacesLeavesSomeToOthers() {
    DownloadQueue queue = queue(4, BOUNDS);
    for (int i = 0; i < 4; i++) {
      enter(queue, "a", i);
    }
    enter(queue, "b", 10);
    enter(queue, "b", 11);
    enter(queue, "b", 12);
    look();
    assertThat(begun).containsExactly(0, 1, 2, 3, 10);
    look();
    assertThat(begun).containsExactly(0, 1, 2, 3, 10, 11);
    // Each has two now.
    look();
    assertThat(begun).containsExactly(0, 1, 2, 3, 10, 11);
  }

  /** A turn that is lost between two threads would let the others wait for ever. */
  @Test
  void noTurnIsLostBetweenManyThreads() throws Exception {
    int most = 2;
    DownloadQueue queue = queue(most, BOUNDS);
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
                    isNow
                        ? Optional.empty()
                        : queue.enter("any", download(() -> turn.complete(null)));
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

  private DownloadQueue queue(long most, QueueBounds bounds) {
    return new DownloadQueue(
        most,
        bounds,
        (task, nanos) -> {
          assertThat(nanos).isEqualTo(DownloadQueue.LOOK.toNanos());
          looks.add(task);
        });
  }

  private void look() {
    looks.removeFirst().run();
  }

  private Download turn(int number) {
    return new Download() {
      @Override
      public void begin(Place place) {
        begun.add(number);
      }

      @Override
      public boolean isSlow() {
        return slow.contains(number);
      }
    };
  }

  private static Download download(Runnable begin) {
    return new Download() {
      @Override
      public void begin(Place place) {
        begin.run();
      }

      @Override
      public boolean isSlow() {
        return false;
      }
    };
  }

  private Place enter(DownloadQueue queue, String client, int number) {
    return queue.enter(client, turn(number)).orElseThrow();
  }

  private List<Place> enter(DownloadQueue queue, int from, int to) {
    List<Place> places = new ArrayList<>();
    for (int i = from; i < to; i++) {
      int number = i;
      places.add(queue.enter("any", turn(number)).orElseThrow());
    }
    return places;
  }
}
