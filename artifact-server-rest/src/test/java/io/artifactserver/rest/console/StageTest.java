package io.artifactserver.rest.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.release.StageWatch;
import io.artifactserver.rest.api.release.ChannelView;
import io.artifactserver.rest.api.release.StageView;
import io.artifactserver.rest.api.release.StageView.Groups;
import io.artifactserver.rest.api.release.StageView.Stop;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class StageTest {
  /** A Monday. */
  private static final Instant MONDAY = Instant.parse("2026-11-30T12:00:00Z");

  private static final Stop STOP = new Stop(5, "PT1H", 3, "PT10M");

  @Test
  void aReleaseForAllHasNoStageUnlessItIsWatched() {
    assertThat(Stage.of(channel(view(100, false, null, null, null)), MONDAY)).isEmpty();
    Stage watched = stage(view(100, false, null, null, STOP));
    assertThat(watched.isPart()).isFalse();
    assertThat(watched.share()).isEqualTo("all devices");
    assertThat(watched.rule().orElseThrow()).contains("5 %", "1 hour", "at least 3", "10 minutes");
  }

  @Test
  void aStageSaysWhomItIsForAndWhetherItGoesOn() {
    Groups groups = new Groups(List.of("lab-*"), Map.of("ring", "canary"), null);
    Stage open = stage(view(10, false, groups, List.of("Mon 11:00-13:00 UTC"), null));
    assertThat(open.isPart()).isTrue();
    assertThat(open.share()).isEqualTo("10 % of its groups");
    assertThat(open.state()).isEqualTo("Goes on");
    assertThat(open.callers()).containsExactly("lab-*");
    assertThat(open.labels()).containsExactly("ring=canary");
    assertThat(open.addresses()).isEmpty();
    assertThat(open.rule()).isEmpty();
    List<String> tuesday = List.of("Tue 11:00-13:00 UTC");
    assertThat(stage(view(10, false, null, tuesday, null)).state())
        .isEqualTo("Waits for its windows");
    StageView paused = view(10, true, null, tuesday, null);
    assertThat(stage(paused).state()).isEqualTo("Paused");
    assertThat(Stage.line(paused)).isEqualTo("10 % of the devices, in its windows, paused");
    assertThat(Stage.line(view(100, false, groups, null, null))).isEqualTo("all its groups");
  }

  @Test
  void failuresStandBesideTheirLimit() {
    StageView view = view(10, false, null, null, STOP);
    assertThat(new Stage(view, new StageWatch.Numbers(40, 30, 2), MONDAY).failed())
        .isEqualTo("2 devices (5.0 % of 40; more than 5 % stop it)");
    assertThat(new Stage(view, new StageWatch.Numbers(0, 0, 0), MONDAY).failed())
        .isEqualTo("0 devices");
  }

  private static Stage stage(StageView view) {
    return Stage.of(channel(view), MONDAY).orElseThrow();
  }

  private static ChannelView channel(StageView view) {
    return new ChannelView("stable", 2, "1.1", view, null, null, "", MONDAY);
  }

  private static StageView view(
      int percentage,
      boolean isPaused,
      @Nullable Groups groups,
      @Nullable List<String> windows,
      @Nullable Stop stop) {
    return new StageView(percentage, "1.0", isPaused, groups, windows, stop);
  }
}
