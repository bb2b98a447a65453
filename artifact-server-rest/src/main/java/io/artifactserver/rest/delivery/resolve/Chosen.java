package io.artifactserver.rest.delivery.resolve;

import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.release.ChannelState;
import io.artifactserver.core.release.Follower;
import io.artifactserver.core.release.StageWatch;
import java.util.Optional;

/**
 * A channel's share for one device. Immutable.
 *
 * @param state of the channel
 * @param share of the device
 */
public record Chosen(ChannelState state, Follower device, ChannelState.Share share) {
  /** The release that the device gets; empty if it gets none. */
  public Optional<String> release() {
    return state.release(share);
  }

  /** Whether it matters how the device gets on with it. */
  public boolean isWatched() {
    return share == ChannelState.Share.RELEASE && state.rollout().stop() != null;
  }

  /** The device with a file of the release, as it is watched. */
  public StageWatch.Subject watchedWith(String path) {
    return new StageWatch.Subject(state, device, path);
  }

  /** The artifact that the device gets; empty if it gets none. */
  Optional<ArtifactId> artifact(String path) {
    return release().map(release -> artifact(release, path));
  }

  /** The same, or the one that it may get some day: whether it may read that is known today. */
  ArtifactId artifactOrNext(String path) {
    return artifact(path).orElseGet(() -> artifact(String.valueOf(state.release()), path));
  }

  private ArtifactId artifact(String release, String path) {
    return new ArtifactId(state.channel().repository(), release + '/' + path);
  }
}
