package io.artifactserver.rest.api.release;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.artifactserver.core.access.Caller;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.release.Channel;
import io.artifactserver.core.release.ChannelState;
import io.artifactserver.core.release.StageWatch;
import io.artifactserver.rest.http.EntityTag;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A channel as a change made it. Immutable.
 *
 * @param channel its name
 * @param version counts the channel's changes
 * @param release path of the folder that it points to; absent if the change deleted the channel
 * @param stage which devices get the release
 * @param devices how those get on that were offered the release; only where it is asked for
 * @param restored the version that a rollback went back to; absent if it was no rollback
 * @param comment of its author, or why the server changed it
 * @param changed when it was made
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ChannelView(
    String channel,
    long version,
    @Nullable String release,
    @JsonUnwrapped StageView stage,
    StageWatch.@Nullable Numbers devices,
    @Nullable Long restored,
    String comment,
    Instant changed) {
  /** All of it, as the audit has it. */
  static ChannelView of(ChannelState state) {
    return of(state, StageView.of(state.rollout()), null);
  }

  /**
   * As much of it as a caller who may see the channel may know: a release outside of its scope is
   * not named, and a reader learns no names of others.
   */
  static ChannelView of(ChannelState state, Caller caller, StageWatch.@Nullable Numbers devices) {
    StageView stage = StageView.of(state.rollout());
    String base = stage.base();
    String repository = state.channel().repository();
    boolean knowsBase =
        base == null
            || caller.mayRead(state.channel().address())
            || caller.mayRead(new ArtifactId(repository, base));
    return of(state, stage.reduced(knowsBase, caller.mayUpload()), devices);
  }

  private static ChannelView of(
      ChannelState state, StageView stage, StageWatch.@Nullable Numbers devices) {
    return new ChannelView(
        state.channel().name(),
        state.version(),
        state.release(),
        stage,
        state.rollout().stop() == null ? null : devices,
        state.restored() == state.version() ? null : state.restored(),
        state.comment(),
        state.changedAt());
  }

  /** The tag that names the state in If-Match. */
  static EntityTag tag(ChannelState state) {
    return new EntityTag(false, String.valueOf(state.version()));
  }

  /** Where the API has a channel. */
  static String path(Channel channel) {
    return "/api/v1/repositories/%s/channels/%s".formatted(channel.repository(), channel.name());
  }
}
