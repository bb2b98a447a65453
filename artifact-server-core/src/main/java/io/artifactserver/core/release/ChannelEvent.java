package io.artifactserver.core.release;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A channel has something else for devices. Immutable.
 *
 * @param before how the channel was; null if there was none
 * @param after how it is now; its comment says why
 */
public record ChannelEvent(Kind kind, @Nullable ChannelState before, ChannelState after) {
  /** The kinds of changes. */
  public enum Kind {
    /** Every device is to get the release. */
    RELEASED,

    /** A part of the devices is to get the release, another part than before. */
    STAGE_REACHED,

    /** The server has taken the release back, or paused it, because too many devices failed. */
    STOPPED
  }

  /** The event that a change is; empty if the same devices get the same release as before. */
  static Optional<ChannelEvent> of(@Nullable ChannelState before, ChannelState after) {
    if (after.release() == null || (before != null && isSame(before, after))) {
      return Optional.empty();
    }
    Kind kind = after.rollout().isForAll() ? Kind.RELEASED : Kind.STAGE_REACHED;
    return Optional.of(new ChannelEvent(kind, before, after));
  }

  private static boolean isSame(ChannelState before, ChannelState after) {
    return String.valueOf(after.release()).equals(before.release())
        && plain(before.rollout()).equals(plain(after.rollout()));
  }

  /** A pause ends, and a base and a rule change no stage. */
  private static Rollout plain(Rollout rollout) {
    return new Rollout(
        rollout.percentage(),
        null,
        false,
        rollout.callers(),
        rollout.labels(),
        rollout.addresses(),
        rollout.windows(),
        null);
  }
}
