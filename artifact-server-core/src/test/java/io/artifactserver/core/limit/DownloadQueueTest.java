package io.artifactserver.core.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.limit.DownloadQueue.Place;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who may begin, and when. */
class DownloadQueueTest {
  private final List<Integer> begun = new ArrayList<>();

  @Test
  void othersWaitInTheOrderInWhichTheyCame() {
    DownloadQueue queue = new DownloadQueue(2);
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
    DownloadQueue queue = new DownloadQueue(1);
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
    DownloadQueue queue = new DownloadQueue(1);
    List<Place> places = enter(queue, 0, 1 + DownloadQueue.MAX_WAITING);
    assertThat(queue.enter(_ -> begun.add(-1))).isEmpty();
    places.getFirst().leave();
    assertThat(queue.enter(_ -> begun.add(-1))).isPresent();
    assertThat(begun).containsExactly(0, 1);
  }

  private List<Place> enter(DownloadQueue queue, int from, int to) {
    List<Place> places = new ArrayList<>();
    for (int i = from; i < to; i++) {
      int number = i;
      places.add(queue.enter(_ -> begun.add(number)).orElseThrow());
    }
    return places;
  }
}
