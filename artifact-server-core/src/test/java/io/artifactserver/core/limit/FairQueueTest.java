package io.artifactserver.core.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

class FairQueueTest {
  private static final int CLIENTS = 5;
  private static final int STEPS = 2_000;

  /**
   * @param client whom it counts for
   * @param number in which it came
   */
  private record Entry(int client, int number) {}

  /** Nothing is lost or comes twice, a client's entries come in order, and turns are kept. */
  @RepeatedTest(20)
  void whateverIsAddedAndRemovedClientsTakeTurns(RepetitionInfo repetition) {
    Random random = new Random(repetition.getCurrentRepetition());
    FairQueue<Integer, Entry> queue = FairQueue.inOrder();
    List<List<Entry>> expected = new ArrayList<>();
    for (int client = 0; client < CLIENTS; client++) {
      expected.add(new ArrayList<>());
    }
    // Those that had a turn since a client of them all had its last one.
    Map<Integer, Set<Integer>> servedSince = new HashMap<>();
    for (int step = 0; step < STEPS; step++) {
      int client = random.nextInt(CLIENTS);
      List<Entry> own = expected.get(client);
      switch (random.nextInt(5)) {
        case 0, 1 -> {
          Entry entry = new Entry(client, step);
          queue.add(client, entry);
          own.add(entry);
        }
        case 2 -> {
          if (!own.isEmpty()) {
            Entry entry = own.remove(random.nextInt(own.size()));
            assertThat(queue.remove(client, entry)).isTrue();
            assertThat(queue.remove(client, entry)).isFalse();
            if (own.isEmpty()) {
              servedSince.values().forEach(served -> served.remove(client));
              servedSince.remove(client);
            }
          }
        }
        default -> {
          Optional<Entry> next = queue.poll();
          assertThat(next.isEmpty()).isEqualTo(expected.stream().allMatch(List::isEmpty));
          if (next.isPresent()) {
            int served = next.get().client();
            assertThat(expected.get(served).removeFirst()).isEqualTo(next.get());
            // Since its last turn nobody had two.
            servedSince.forEach((other, since) -> {
              if (other != served && !expected.get(other).isEmpty()) {
                assertThat(since.add(served)).as("a second turn of %d", served).isTrue();
              }
            });
            servedSince.put(served, new HashSet<>());
          }
        }
      }
      assertThat(queue.size()).isEqualTo(expected.stream().mapToInt(List::size).sum());
      assertThat(queue.size(client)).isEqualTo(expected.get(client).size());
      assertThat(queue.isEmpty()).isEqualTo(queue.size() == 0);
      assertThat(queue.clients())
          .containsExactlyInAnyOrderElementsOf(
              IntStream.range(0, CLIENTS)
                  .filter(each -> !expected.get(each).isEmpty())
                  .boxed()
                  .toList());
    }
  }

  @Test
  void aClientThatMayHaveNoTurnKeepsItsPlace() {
    FairQueue<String, Integer> queue = FairQueue.inOrder();
    queue.add("a", 1);
    queue.add("b", 2);
    queue.add("b", 3);
    assertThat(queue.poll(client -> !client.equals("a"))).contains(2);
    assertThat(queue.poll()).contains(1);
    assertThat(queue.poll(_ -> false)).isEmpty();
    assertThat(queue.poll()).contains(3);
  }

  @Test
  void aClientThatYieldsComesLast() {
    FairQueue<String, Integer> queue = FairQueue.inOrder();
    queue.add("a", 1);
    queue.add("b", 2);
    queue.yieldTurn("a");
    queue.yieldTurn("nobody");
    assertThat(queue.clients()).containsExactly("b", "a");
    assertThat(List.of(queue.poll(), queue.poll())).containsExactly(Optional.of(2), Optional.of(1));
  }

  @Test
  void anEntryThatComesBackIsTheFirstOfItsClient() {
    FairQueue<String, Integer> queue = FairQueue.inOrder();
    queue.add("a", 1);
    queue.add("a", 2);
    queue.addFirst("a", 0);
    assertThat(queue.size()).isEqualTo(3);
    assertThat(List.of(queue.poll(), queue.poll(), queue.poll()))
        .containsExactly(Optional.of(0), Optional.of(1), Optional.of(2));
  }

  @Test
  void theEntriesOfOneClientMayHaveAnOrder() {
    FairQueue<String, Integer> queue = FairQueue.by(Comparator.<Integer>naturalOrder());
    List.of(3, 1, 2).forEach(entry -> queue.add("a", entry));
    queue.add("b", 9);
    assertThat(List.of(queue.poll(), queue.poll(), queue.poll(), queue.poll()))
        .containsExactly(Optional.of(1), Optional.of(9), Optional.of(2), Optional.of(3));
    assertThatExceptionOfType(UnsupportedOperationException.class)
        .isThrownBy(() -> queue.addFirst("a", 0));
  }
}
