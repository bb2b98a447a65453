package io.artifactserver.core.release;

import io.artifactserver.core.catalog.ArtifactId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A channel as one change made it. Immutable.
 *
 * @param version counts the changes of the channel, from 1; a channel that was deleted and comes
 *     again counts on
 * @param release the path of a folder of artifacts; null if the change deleted the channel
 * @param restored the version that a rollback went back to; the same as {@code version} if the
 *     change was none
 * @param comment of its author, or empty
 * @param changedAt when it was made, cut to microseconds (PostgreSQL's resolution)
 */
public record ChannelState(
    Channel channel,
    long version,
    @Nullable String release,
    long restored,
    String comment,
    Instant changedAt) {
  /** The artifact that the channel serves for a path below its address. */
  public ArtifactId artifact(String path) {
    return new ArtifactId(channel.repository(), release + "/" + path);
  }

  /** Whether the channel serves the artifact. */
  public boolean serves(ArtifactId id) {
    String folder = release;
    return folder != null
        && id.repository().equals(channel.repository())
        && id.path().length() > folder.length()
        && id.path().charAt(folder.length()) == '/'
        && id.path().startsWith(folder);
  }
}
