package io.artifactserver.storage.remote.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TransferBudgetTest {
  private final Queue<Runnable> woken = new ArrayDeque<>();
  private final TransferBudget budget = new TransferBudget(100, woken::add);

  @Test
  void refusesALimitOfNothing() {
    assertThatIllegalArgumentException().isThrownBy(() -> new TransferBudget(0));
  }

  @Test
  void grantsTheFirstPieceToEverybodyAndMoreWithinTheLimit() {
    TransferBudget.Share first = budget.join(() -> {});
    TransferBudget.Share second = budget.join(() -> {});
    assertThat(first.tryAcquire(60)).isTrue();
    assertThat(second.tryAcquire(60)).isTrue();
    assertThat(budget.used()).isEqualTo(120);
    assertThat(first.tryAcquire(1)).isFalse();
    assertThat(budget.waiting()).isOne();
    second.release(60);
    assertThat(first.tryAcquire(40)).isTrue();
    assertThat(first.tryAcquire(1)).isFalse();
    assertThat(budget.used()).isEqualTo(100);
    assertThat(budget.transfers()).isEqualTo(2);
  }

  @Test
  void whatTheRicherGivesBackGoesToThePoorerUntilTheyAreEqual() {
    TransferBudget.Share rich = budget.join(() -> {});
    for (int i = 0; i < 10; i++) {
      assertThat(rich.tryAcquire(10)).isTrue();
    }
    int[] heldByPoor = {0};
    TransferBudget.Share[] poor = new TransferBudget.Share[1];
    poor[0] =
        budget.join(() -> {
          while (poor[0].tryAcquire(10)) {
            heldByPoor[0] += 10;
          }
        });
    assertThat(poor[0].tryAcquire(10)).isTrue();
    assertThat(poor[0].tryAcquire(10)).isFalse();
    heldByPoor[0] = 10;
    int heldByRich = 100;
    for (int turn = 0; turn < 50; turn++) {
      rich.release(10);
      heldByRich -= 10;
      // At once, before the other one could run: it must not get it back.
      if (rich.tryAcquire(10)) {
        heldByRich += 10;
      }
      wake();
    }
    assertThat(heldByRich).isEqualTo(50);
    assertThat(heldByPoor[0]).isEqualTo(50);
    assertThat(budget.used()).isEqualTo(100);
  }

  /** Which thread runs first after a release is up to the scheduler; who is granted room is not. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void equalsAreGrantedRoomInTheOrderOfTheirArrival(long seed) {
    Random random = new Random(seed);
    TransferBudget.Share holder = budget.join(() -> {});
    assertThat(holder.acquire(6, 10)).isEqualTo(6);
    List<Integer> granted = new ArrayList<>();
    List<TransferBudget.Share> equals = new ArrayList<>();
    int[] missing = {2, 2, 2, 2};
    for (int arrival = 0; arrival < missing.length; arrival++) {
      equals.add(budget.join(() -> {}));
      assertThat(equals.get(arrival).tryAcquire(10)).isTrue();
    }
    for (TransferBudget.Share share : equals) {
      assertThat(share.acquire(2, 10)).isZero();
    }
    List<Integer> schedule = new ArrayList<>(List.of(0, 1, 2, 3));
    for (int release = 0; release < 6; release++) {
      holder.release(10);
      // Every thread asks again, woken or not, in any order; the one before it may not have run.
      for (int pass = 0; pass < 2; pass++) {
        Collections.shuffle(schedule, random);
        for (int arrival : schedule) {
          int pieces = equals.get(arrival).acquire(missing[arrival], 10);
          missing[arrival] -= pieces;
          for (int i = 0; i < pieces; i++) {
            granted.add(arrival);
          }
        }
      }
    }
    assertThat(granted).containsExactly(0, 1, 2, 3, 0, 1);
  }

  @Test
  void aTransferThatWaitsForMoreKeepsItsPlaceBetweenTwoGrants() {
    TransferBudget.Share rich = budget.join(() -> {});
    assertThat(rich.acquire(10, 10)).isEqualTo(10);
    TransferBudget.Share poor = budget.join(() -> {});
    // The first piece is always granted; the other three are waited for.
    assertThat(poor.acquire(4, 10)).isOne();
    rich.release(10);
    assertThat(poor.acquire(3, 10)).as("more is in use than the limit").isZero();
    for (int missing = 3; missing > 0; missing--) {
      rich.release(10);
      assertThat(rich.tryAcquire(10)).as("the poorer one has not run yet").isFalse();
      assertThat(poor.acquire(missing, 10)).isOne();
    }
    assertThat(rich.tryAcquire(10)).as("all is in use").isFalse();
    poor.release(40);
    assertThat(rich.acquire(4, 10)).isEqualTo(4);
  }

  @Test
  void whoeverIsContentPassesTheRoomOn() {
    List<String> calls = new ArrayList<>();
    TransferBudget.Share holder = budget.join(() -> {});
    assertThat(holder.tryAcquire(100)).isTrue();
    TransferBudget.Share second = budget.join(() -> calls.add("second"));
    TransferBudget.Share third = budget.join(() -> calls.add("third"));
    assertThat(second.tryAcquire(10)).isTrue();
    assertThat(third.tryAcquire(10)).isTrue();
    assertThat(second.tryAcquire(10)).isFalse();
    assertThat(third.tryAcquire(10)).isFalse();
    holder.release(100);
    wake();
    assertThat(calls).containsExactly("second");
    second.content();
    wake();
    assertThat(calls).containsExactly("second", "third");
    third.close();
    assertThat(budget.waiting()).isZero();
  }

  @Test
  void aClosedTransferIsGoneAndGivesBackWhatItHas() {
    TransferBudget.Share share = budget.join(() -> {});
    assertThat(share.tryAcquire(30)).isTrue();
    share.close();
    share.close();
    assertThat(budget.transfers()).isZero();
    assertThat(budget.used()).isEqualTo(30);
    assertThatIllegalStateException().isThrownBy(() -> share.tryAcquire(1));
    share.release(30);
    assertThat(budget.used()).isZero();
    assertThatIllegalStateException().isThrownBy(() -> share.release(1));
  }

  /** A hundred that always want more: sums are exact, none is stuck, all end up with the same. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void isSharedFairlyUnderRandomSchedules(long seed) {
    Random random = new Random(seed);
    int pieces = 1000;
    TransferBudget crowded = new TransferBudget(pieces, woken::add);
    TransferBudget.Share[] shares = new TransferBudget.Share[100];
    int[] held = new int[shares.length];
    for (int turn = 0; turn < 20_000; turn++) {
      int index = random.nextInt(Math.min(shares.length, 1 + turn / 20));
      if (shares[index] == null) {
        shares[index] = crowded.join(() -> takeAll(shares[index], held, index));
      } else if (held[index] > 1) {
        int drained = 1 + random.nextInt(held[index] - 1);
        shares[index].release(drained);
        held[index] -= drained;
      }
      takeAll(shares[index], held, index);
      if (random.nextBoolean()) {
        wake();
      }
      assertThat(crowded.used()).isEqualTo(Arrays.stream(held).sum());
      assertThat(crowded.used()).isLessThanOrEqualTo(pieces + shares.length);
    }
    wake();
    assertThat(Arrays.stream(held).min().orElseThrow()).isGreaterThanOrEqualTo(9);
    assertThat(Arrays.stream(held).max().orElseThrow()).isLessThanOrEqualTo(11);
    for (int i = 0; i < shares.length; i++) {
      shares[i].close();
      shares[i].release(held[i]);
    }
    assertThat(crowded.used()).isZero();
    assertThat(crowded.transfers()).isZero();
    assertThat(crowded.waiting()).isZero();
  }

  private static void takeAll(TransferBudget.Share share, int[] held, int index) {
    while (share.tryAcquire(1)) {
      held[index]++;
    }
  }

  private void wake() {
    for (Runnable call = woken.poll(); call != null; call = woken.poll()) {
      call.run();
    }
  }
}
