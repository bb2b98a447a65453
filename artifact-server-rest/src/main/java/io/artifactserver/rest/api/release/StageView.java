package io.artifactserver.rest.api.release;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.artifactserver.core.catalog.Labels;
import io.artifactserver.core.limit.Network;
import io.artifactserver.core.release.Rollout;
import io.artifactserver.core.release.StopRule;
import io.artifactserver.core.release.TimeWindow;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;

/**
 * Which devices get the release of a channel. Immutable.
 *
 * @param percentage of the devices that get the release
 * @param base release of the other devices; absent if they get none, or there are none
 * @param paused whether no further device gets the release
 * @param groups devices that the release is for; absent if it is for all
 * @param windows times in which further devices get the release; absent if it is always
 * @param stop when the release is taken back; absent if it is not
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record StageView(
    int percentage,
    @Nullable String base,
    boolean paused,
    @Nullable Groups groups,
    @Nullable List<String> windows,
    @Nullable Stop stop) {
  /** Returns all of it, for those who may see all callers. */
  public static StageView of(Rollout rollout) {
    @Nullable StopRule stop = rollout.stop();
    return new StageView(
        rollout.percentage(),
        rollout.base(),
        rollout.isPaused(),
        Groups.of(rollout),
        rollout.windows().isEmpty()
            ? null
            : rollout.windows().stream().map(TimeWindow::toString).toList(),
        stop == null ? null : Stop.of(stop));
  }

  /**
   * The entries of a list; none if it is absent.
   *
   * @throws IllegalArgumentException if one is null
   */
  static List<String> texts(@Nullable List<String> list) {
    if (list != null && list.stream().anyMatch(Objects::isNull)) {
      throw new IllegalArgumentException(
          "The entries of \"callers\", \"addresses\" and \"windows\" must be strings, not null");
    }
    return list == null ? List.of() : list;
  }

  /** The same without what a caller may not know. */
  StageView reduced(boolean knowsBase, boolean knowsGroups) {
    return new StageView(
        percentage, knowsBase ? base : null, paused, knowsGroups ? groups : null, windows, stop);
  }

  /**
   * Devices that a release is for.
   *
   * @param callers patterns of names of tokens and certificates; absent for all
   * @param labels that a device's token has, all of them; absent for all
   * @param addresses networks; absent for all
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Groups(
      @Nullable List<String> callers,
      @Nullable Map<String, @Nullable String> labels,
      @Nullable List<String> addresses) {
    private static @Nullable Groups of(Rollout rollout) {
      return rollout.callers().isEmpty()
              && rollout.labels().isEmpty()
              && rollout.addresses().isEmpty()
          ? null
          : new Groups(
              rollout.callers(),
              new TreeMap<>(rollout.labels().values()),
              rollout.addresses().stream().map(Network::toString).toList());
    }

    List<String> patterns() {
      return texts(callers);
    }

    Labels required() {
      return labels == null ? Labels.NONE : Labels.of(labels);
    }

    List<Network> networks() {
      return texts(addresses).stream().map(Network::parse).toList();
    }
  }

  /**
   * When a release is taken back.
   *
   * @param percentage of the devices that began; more than so many failed
   * @param within how far back it is looked, such as {@code 90m} or {@code 7d}; an hour if absent
   * @param atLeast so many must have failed; 3 if absent
   * @param stall after so long without a byte a device has failed; ten minutes if absent
   */
  public record Stop(
      @Nullable Integer percentage,
      @Nullable String within,
      @Nullable Integer atLeast,
      @Nullable String stall) {
    private static final Duration WITHIN = Duration.ofHours(1);
    private static final int AT_LEAST = 3;
    private static final Duration STALL = Duration.ofMinutes(10);

    private static Stop of(StopRule rule) {
      return new Stop(
          rule.percentage(), rule.within().toString(), rule.atLeast(), rule.stall().toString());
    }

    /**
     * @throws IllegalArgumentException if a value is out of bounds
     */
    StopRule toRule() {
      if (percentage == null) {
        throw new IllegalArgumentException("\"stop\" must have a \"percentage\"");
      }
      return new StopRule(
          percentage,
          within == null ? WITHIN : DurationStyle.detectAndParse(within),
          atLeast == null ? AT_LEAST : atLeast,
          stall == null ? STALL : DurationStyle.detectAndParse(stall));
    }
  }
}
