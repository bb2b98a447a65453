package io.artifactserver.core.release;

import io.artifactserver.core.catalog.ArtifactId;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A channel as one change made it. Immutable.
 *
 * @param channel that was changed
 * @param version counts the changes of the channel, from 1; a channel that was deleted and comes
 *     again counts on
 * @param release the path of a folder of artifacts; null if the change deleted the channel
 * @param rollout which devices get the release
 * @param restored the version that a rollback went back to; the same as {@code version} if the
 *     change was none
 * @param comment of its author, or why the server changed it
 * @param changedAt when it was made, cut to microseconds (PostgreSQL's resolution)
 */
public record ChannelState(
    Channel channel,
    long version,
    @Nullable String release,
    Rollout rollout,
    long restored,
    String comment,
    Instant changedAt) {
  /** The choice that is made for a device. */
  public enum Share {
    /** The channel's release. */
    RELEASE,

    /** The release before, if there is one. */
    BASE,

    /** Nothing for now: it is to get the release, which is paused or outside of its windows. */
    WAIT
  }

  /** Whether it matters which device asks. */
  public boolean asksForDevices() {
    return !rollout.isForAll() || rollout.stop() != null;
  }

  /** Which of the releases a device gets. */
  public Share share(Follower device, Instant now) {
    if (rollout.isForAll()) {
      return Share.RELEASE;
    }
    if (!rollout.includes(device, String.valueOf(release))) {
      return Share.BASE;
    }
    return rollout.isGoingOn(now) ? Share.RELEASE : Share.WAIT;
  }

  /** The release that is behind a share; empty if there is none. */
  public Optional<String> release(Share share) {
    return Optional.ofNullable(share == Share.RELEASE ? release : rollout.base());
  }

  /** The release that has the artifact, if some device may get it; empty if none may. */
  public Optional<String> releaseWith(ArtifactId id) {
    return id.repository().equals(channel.repository())
        ? Stream.of(Share.RELEASE, Share.BASE)
            .flatMap(share -> release(share).stream())
            .filter(folder -> isIn(folder, id.path()))
            .findFirst()
        : Optional.empty();
  }

  private static boolean isIn(String folder, String path) {
    return path.length() > folder.length()
        && path.charAt(folder.length()) == '/'
        && path.startsWith(folder);
  }

  /** The next state, paused or not. The rollback after it goes where it would have gone now. */
  ChannelState paused(Rollout next, long nextVersion, String why, Instant now) {
    return new ChannelState(
        channel,
        nextVersion,
        release,
        next,
        restored == version ? nextVersion : restored,
        why,
        now);
  }
}
