package io.artifactserver.rest.api.release;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.artifactserver.core.release.ChannelState;
import io.artifactserver.rest.http.EntityTag;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A channel as a change made it. Immutable.
 *
 * @param channel its name
 * @param version counts the channel's changes
 * @param release path of the folder that it points to; absent if the change deleted the channel
 * @param percentage of the devices that get the release
 * @param restored the version that a rollback went back to; absent if it was no rollback
 * @param comment of its author
 * @param changed when it was made
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ChannelView(
    String channel,
    long version,
    @Nullable String release,
    @Nullable Integer percentage,
    @Nullable Long restored,
    String comment,
    Instant changed) {
  static ChannelView of(ChannelState state) {
    return new ChannelView(
        state.channel().name(),
        state.version(),
        state.release(),
        state.release() == null ? null : ChannelController.ALL_DEVICES,
        state.restored() == state.version() ? null : state.restored(),
        state.comment(),
        state.changedAt());
  }

  /** The tag that names the state in If-Match. */
  static EntityTag tag(ChannelState state) {
    return new EntityTag(false, String.valueOf(state.version()));
  }
}
