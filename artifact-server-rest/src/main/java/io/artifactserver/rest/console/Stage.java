package io.artifactserver.rest.console;

import io.artifactserver.core.catalog.Labels;
import io.artifactserver.core.release.StageWatch;
import io.artifactserver.core.release.TimeWindow;
import io.artifactserver.rest.api.release.ChannelView;
import io.artifactserver.rest.api.release.StageView;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Which devices the release of a channel goes to, in words. Immutable.
 *
 * @param view as the visitor may know it
 * @param devices that are watched; null if none are
 * @param now when it is looked at
 */
public record Stage(StageView view, StageWatch.@Nullable Numbers devices, Instant now) {
  private static final int ALL_DEVICES = 100;

  /** Returns the stage of a channel; empty if every device gets the release, unwatched. */
  static Optional<Stage> of(ChannelView channel, Instant now) {
    StageView view = channel.stage();
    return isForAll(view) && view.stop() == null
        ? Optional.empty()
        : Optional.of(new Stage(view, channel.devices(), now));
  }

  /** {@code 10 % of its groups, paused}. */
  public static String line(StageView view) {
    return share(view)
        + (view.windows() == null ? "" : ", in its windows")
        + (view.paused() ? ", paused" : "");
  }

  private static String share(StageView view) {
    String all = view.groups() == null ? "devices" : "its groups";
    return view.percentage() == ALL_DEVICES
        ? "all " + all
        : "%d %% of %s".formatted(view.percentage(), view.groups() == null ? "the devices" : all);
  }

  private static boolean isForAll(StageView view) {
    return view.percentage() == ALL_DEVICES
        && !view.paused()
        && view.groups() == null
        && view.windows() == null;
  }

  /** Whether some devices do not get the release. */
  public boolean isPart() {
    return !isForAll(view);
  }

  /** {@code 10 % of the devices}. */
  public String share() {
    return share(view);
  }

  /** Whether further devices get the release now. */
  public String state() {
    if (view.paused()) {
      return "Paused";
    }
    return windows().isEmpty()
            || windows().stream().map(TimeWindow::parse).anyMatch(each -> each.includes(now))
        ? "Goes on"
        : "Waits for its windows";
  }

  /** Names of tokens and certificates, of which devices must have one; empty for all. */
  public List<String> callers() {
    return view.groups() == null ? List.of() : orNone(view.groups().callers());
  }

  /** Labels, all of which a device's token must have, as {@code KEY=VALUE}; empty for all. */
  public List<String> labels() {
    @Nullable Map<String, @Nullable String> labels =
        view.groups() == null ? null : view.groups().labels();
    return labels == null ? List.of() : Labels.of(labels).texts();
  }

  /** Networks, in one of which devices must be; empty for all. */
  public List<String> addresses() {
    return view.groups() == null ? List.of() : orNone(view.groups().addresses());
  }

  /** Times in which further devices get the release; empty for all. */
  public List<String> windows() {
    return orNone(view.windows());
  }

  private static List<String> orNone(@Nullable List<String> list) {
    return Objects.requireNonNullElse(list, List.of());
  }

  /** When the server takes the release back; empty if it does not. */
  public Optional<String> rule() {
    return Optional.ofNullable(view.stop())
        .map(stop ->
            "When more than %d %% of the devices that began within %s have failed, and at least %d of them. A device that was sent nothing for %s has failed."
                .formatted(
                    stop.percentage(), span(stop.within()), stop.atLeast(), span(stop.stall())));
  }

  private static String span(@Nullable String text) {
    return Format.span(Duration.parse(String.valueOf(text)));
  }

  /** {@code 2 devices (5.0 % of 40; more than 5 % stop it)}. */
  public String failed() {
    return devices == null || view.stop() == null
        ? ""
        : devices.begun() == 0
            ? "0 devices"
            : "%d devices (%s of %d; more than %d %% stop it)"
                .formatted(
                    devices.failed(),
                    Format.percent(devices.failed(), devices.begun()),
                    devices.begun(),
                    view.stop().percentage());
  }
}
