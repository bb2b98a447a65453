package io.artifactserver.core.release;

import io.artifactserver.core.catalog.Labels;
import io.artifactserver.core.limit.NamedLimit;
import io.artifactserver.core.limit.Network;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which devices get the release of a channel; the others get its base. Immutable.
 *
 * @param percentage of the devices, from 1 to 100
 * @param base the release of the others; null if they get none
 * @param isPaused whether no further device gets the release
 * @param callers patterns of names of tokens and certificates, one of which a device must fit;
 *     empty for all
 * @param labels that a device's token must have, all of them
 * @param addresses networks, in one of which a device must be; empty for all
 * @param windows times in which further devices get the release; empty for all
 * @param stop when it goes back by itself; null if it does not
 */
public record Rollout(
    int percentage,
    @Nullable String base,
    boolean isPaused,
    List<String> callers,
    Labels labels,
    List<Network> addresses,
    List<TimeWindow> windows,
    @Nullable StopRule stop) {
  /** Every device gets the release. */
  public static final Rollout ALL =
      new Rollout(100, null, false, List.of(), Labels.NONE, List.of(), List.of(), null);

  /** Most windows. */
  public static final int MAX_WINDOWS = 32;

  private static final int PERCENT = 100;

  /**
   * @throws IllegalArgumentException if a value is out of bounds
   */
  public Rollout {
    if (percentage < 1 || percentage > PERCENT) {
      throw new IllegalArgumentException("A percentage is 1 to 100, not " + percentage);
    }
    callers = List.copyOf(callers);
    addresses = List.copyOf(addresses);
    windows = List.copyOf(windows);
    NamedLimit.requirePatterns(callers, addresses);
    if (windows.size() > MAX_WINDOWS) {
      throw new IllegalArgumentException("There are at most %d windows".formatted(MAX_WINDOWS));
    }
  }

  /** Whether every device gets the release, whoever it is and whenever it asks. */
  public boolean isForAll() {
    return percentage == PERCENT
        && !isPaused
        && callers.isEmpty()
        && labels.isEmpty()
        && addresses.isEmpty()
        && windows.isEmpty();
  }

  /** Whether it goes on now. */
  boolean isGoingOn(Instant now) {
    return !isPaused
        && (windows.isEmpty() || windows.stream().anyMatch(window -> window.includes(now)));
  }

  /** Whether there are devices that get the base, or may have to go back to it. */
  boolean needsBase() {
    return !isForAll() || stop != null;
  }

  /** Whether the device is among those that the release is for. */
  boolean includes(Follower device, String release) {
    return device.labels().include(labels)
        && NamedLimit.fits(callers, addresses, device.caller(), device.address())
        && (percentage == PERCENT
            || (!device.name().isEmpty()
                && StageHash.includes(device.name(), release, percentage)));
  }

  /** The same with another base. */
  Rollout over(@Nullable String otherBase) {
    return new Rollout(percentage, otherBase, isPaused, callers, labels, addresses, windows, stop);
  }

  /** The same, paused or not. */
  Rollout paused(boolean pause) {
    return new Rollout(percentage, base, pause, callers, labels, addresses, windows, stop);
  }
}
