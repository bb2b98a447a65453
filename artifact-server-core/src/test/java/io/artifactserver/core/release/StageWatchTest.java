package io.artifactserver.core.release;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.catalog.Labels;
import io.artifactserver.core.release.StageWatch.Numbers;
import io.artifactserver.core.release.StageWatch.Subject;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StageWatchTest {
  private static final Channel STABLE = new Channel("boards", "stable");
  private static final StopRule RULE =
      new StopRule(20, Duration.ofHours(1), 3, Duration.ofMinutes(10));
  private static final long LENGTH = 1_000;

  private final AtomicLong nanos = new AtomicLong();
  private final StageWatch watch = new StageWatch(nanos::get);
  private final ChannelState state = state("1.2", RULE);

  @Test
  void devicesThatGetOnStopNothing() {
    for (int i = 0; i < 100; i++) {
      String id = offered("device-" + i, "1.1", false);
      send(id, 400);
      send(id, 600);
    }
    pass(Duration.ofMinutes(20));
    assertThat(watch.numbers(state)).isEqualTo(new Numbers(100, 100, 0));
    assertThat(sweep()).isEmpty();
  }

  @Test
  void aDeviceThatOnlyLooksHasNotBegun() {
    for (int i = 0; i < 100; i++) {
      send(offered("device-" + i, "1.1", false), 40);
    }
    pass(Duration.ofMinutes(20));
    assertThat(watch.numbers(state)).isEqualTo(new Numbers(0, 0, 0));
    assertThat(sweep()).isEmpty();
  }

  @Test
  void tooManyThatStallStopTheStage() {
    for (int i = 0; i < 10; i++) {
      send(offered("good-" + i, "1.1", false), 1_000);
    }
    for (int i = 0; i < 3; i++) {
      send(offered("bad-" + i, "1.1", false), 100);
    }
    pass(RULE.stall());
    assertThat(sweep()).isEmpty();
    pass(Duration.ofNanos(1));
    assertThat(watch.numbers(state)).isEqualTo(new Numbers(13, 10, 3));
    assertThat(sweep())
        .singleElement()
        .satisfies(failing -> {
          assertThat(failing.state()).isEqualTo(state);
          assertThat(failing.reason()).contains("3 of the 13", "1.2", "20 %");
        });
  }

  @Test
  void oneThatFailsIsNoReasonAndSoAreFewOfMany() {
    for (int i = 0; i < 2; i++) {
      offered("bad-" + i, "1.1", true);
      watch.reported(subject(device("bad-" + i)), false);
    }
    assertThat(watch.numbers(state)).isEqualTo(new Numbers(2, 0, 2));
    assertThat(sweep()).isEmpty();
    offered("bad-3", "1.1", true);
    watch.reported(subject(device("bad-3")), false);
    assertThat(sweep()).hasSize(1);
    for (int i = 0; i < 12; i++) {
      offered("good-" + i, "1.1", true);
      watch.hasRelease(subject(device("good-" + i)));
    }
    assertThat(watch.numbers(state)).isEqualTo(new Numbers(15, 12, 3));
    assertThat(sweep()).isEmpty();
  }

  @Test
  void whoeverBeganLongAgoDoesNotCount() {
    for (int i = 0; i < 5; i++) {
      send(offered("bad-" + i, "1.1", false), 100);
    }
    pass(RULE.within().plusNanos(1));
    assertThat(watch.numbers(state)).isEqualTo(new Numbers(0, 0, 0));
    assertThat(sweep()).isEmpty();
  }

  @Test
  void aDeviceCountsFromWhenItBegan() {
    for (int i = 0; i < 3; i++) {
      offered("late-" + i, "1.1", false);
    }
    pass(RULE.within().multipliedBy(2));
    for (int i = 0; i < 3; i++) {
      send(offered("late-" + i, "1.1", false), 100);
    }
    pass(RULE.stall().plusNanos(1));
    assertThat(watch.numbers(state)).isEqualTo(new Numbers(3, 0, 3));
    assertThat(sweep()).hasSize(1);
  }

  @Test
  void raucThatAsksAgainHasNotStalled() {
    for (int i = 0; i < 5; i++) {
      send(offered("rauc-" + i, "1.1", false), 300);
      offered("rauc-" + i, "1.1", false);
    }
    pass(Duration.ofMinutes(20));
    assertThat(watch.numbers(state)).isEqualTo(new Numbers(5, 5, 0));
  }

  @Test
  void swupdateThatAsksAgainHasBrokenOff() {
    send(offered("broken", "1.1", true), 300);
    offered("broken", "1.1", true);
    send(offered("updated", "1.1", true), 300);
    offered("updated", "1.2", true);
    assertThat(watch.numbers(state)).isEqualTo(new Numbers(2, 1, 1));
  }

  /** As one does that follows the channel itself, range by range. */
  @Test
  void aDeviceThatNeverPollsIsWatchedToo() {
    for (int i = 0; i < 4; i++) {
      Subject subject = subject(device("follower-" + i));
      for (int range = 0; range < 5; range++) {
        watch.delivered(watch.followed(subject, LENGTH).orElseThrow(), i == 0 ? 200 : 20);
      }
    }
    assertThat(watch.numbers(state)).isEqualTo(new Numbers(4, 1, 0));
    pass(RULE.stall().plusNanos(1));
    assertThat(watch.numbers(state)).isEqualTo(new Numbers(4, 1, 3));
    assertThat(sweep()).hasSize(1);
    assertThat(watch.followed(subject(device("")), LENGTH)).isEmpty();
  }

  @Test
  void eachFileOfADeviceCounts() {
    for (String path : List.of("boot", "root")) {
      Subject subject = new Subject(state, device("a"), path);
      send(
          watch.offered(subject, LENGTH, "", false).orElseThrow(),
          path.equals("boot") ? 1_000 : 60);
    }
    pass(RULE.stall().plusNanos(1));
    assertThat(watch.numbers(state)).isEqualTo(new Numbers(2, 1, 1));
  }

  @Test
  void stagesThatAreOverAreForgotten() {
    send(offered("a", "1.1", false), 100);
    assertThat(watch.size()).isEqualTo(1);
    assertThat(sweep()).isEmpty();
    assertThat(watch.size()).isEqualTo(1);
    assertThat(watch.sweep(_ -> Optional.of(state("1.3", RULE)))).isEmpty();
    assertThat(watch.size()).isZero();
    offered("a", "1.1", false);
    assertThat(watch.sweep(_ -> Optional.of(state("1.2", null)))).isEmpty();
    assertThat(watch.size()).isZero();
  }

  @Test
  void nobodyIsWatchedWithoutARuleOrAName() {
    assertThat(watch.offered(new Subject(state("1.2", null), device("a"), "fw"), LENGTH, "", false))
        .isEmpty();
    assertThat(watch.offered(subject(device("")), LENGTH, "", false)).isEmpty();
    watch.reported(subject(device("a")), false);
    assertThat(watch.numbers(state)).isEqualTo(new Numbers(0, 0, 0));
    assertThat(watch.find("0123456789abcdef")).isEmpty();
  }

  /** A client without credentials for the repository may be anybody. */
  @ParameterizedTest
  @ValueSource(strings = {"", "token of another repository"})
  void strangersOfOneAddressAreFewAndDoNotSpeakForOthers(String caller) throws Exception {
    Optional<InetAddress> address = Optional.of(InetAddress.getByName("192.0.2.1"));
    for (int i = 0; i < 100; i++) {
      Follower stranger = new Follower("made-up-" + i, caller, Labels.NONE, false, address);
      watch.offered(subject(stranger), LENGTH, "", false);
      watch.reported(subject(stranger), false);
    }
    assertThat(watch.numbers(state).failed()).isEqualTo(StageWatch.MAX_OF_ADDRESS);
    assertThat(watch.lost()).isEqualTo(100 - StageWatch.MAX_OF_ADDRESS);
    offered("mine", "1.1", false);
    watch.reported(subject(new Follower("mine", caller, Labels.NONE, false, address)), false);
    watch.reported(
        subject(new Follower("mine", "another token", Labels.NONE, true, Optional.empty())), false);
    assertThat(watch.numbers(state).failed()).isEqualTo(StageWatch.MAX_OF_ADDRESS);
    // They make room for others when the stage is over.
    watch.sweep(_ -> Optional.empty());
    assertThat(
            watch.offered(
                subject(new Follower("new", caller, Labels.NONE, false, address)),
                LENGTH,
                "",
                false))
        .isPresent();
  }

  @Test
  void thereIsRoomForSoManyAndNoMore() {
    for (int i = 0; i < StageWatch.MAX_DEVICES + 10; i++) {
      watch.offered(subject(device("device-" + i)), LENGTH, "", false);
    }
    assertThat(watch.size()).isEqualTo(StageWatch.MAX_DEVICES);
    assertThat(watch.lost()).isEqualTo(10);
  }

  private String offered(String name, String software, boolean asksInVain) {
    return watch.offered(subject(device(name)), LENGTH, software, asksInVain).orElseThrow();
  }

  private void send(String id, long bytes) {
    watch.delivered(watch.find(id).orElseThrow(), bytes);
  }

  private List<StageWatch.Failing> sweep() {
    return watch.sweep(_ -> Optional.of(state));
  }

  private void pass(Duration time) {
    nanos.addAndGet(time.toNanos());
  }

  private Subject subject(Follower device) {
    return new Subject(state, device, "fw");
  }

  private static Follower device(String name) {
    return new Follower(name, "token", Labels.NONE, true, Optional.empty());
  }

  private static ChannelState state(String release, @Nullable StopRule rule) {
    Rollout rollout =
        new Rollout(10, "1.1", false, List.of(), Labels.NONE, List.of(), List.of(), rule);
    return new ChannelState(STABLE, 2, release, rollout, 2, "", Instant.EPOCH);
  }
}
