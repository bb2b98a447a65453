package io.artifactserver.rest.api.release;

import io.artifactserver.core.release.ChannelState;
import io.artifactserver.rest.http.EntityTag;
import io.artifactserver.rest.problem.ProblemException;
import io.artifactserver.rest.problem.ReleaseProblems;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The condition of a request that changes a channel (RFC 9110, section 13.1). Immutable.
 *
 * @param channel by name
 * @param ifMatch the field; null if there is none
 * @param ifNoneMatch the field; null if there is none
 */
record Condition(String channel, @Nullable String ifMatch, @Nullable String ifNoneMatch) {
  /**
   * Refuses a change of a channel that is not as the request says, or of which it says nothing.
   *
   * @throws ProblemException with 412 or 428
   */
  void requireForPut(Optional<ChannelState> state) {
    requireIfGiven(state);
    if (state.isPresent() && ifMatch == null && ifNoneMatch == null) {
      throw new ProblemException(ReleaseProblems.conditionRequired(channel));
    }
  }

  /**
   * Refuses a change of a channel that is not as the request says.
   *
   * @throws ProblemException with 412
   */
  void requireIfGiven(Optional<ChannelState> state) {
    boolean matches = ifMatch == null || matches(ifMatch, state, EntityTag.Comparison.STRONG);
    boolean isOther =
        ifNoneMatch == null || !matches(ifNoneMatch, state, EntityTag.Comparison.WEAK);
    if (!matches || !isOther) {
      throw new ProblemException(ReleaseProblems.changedMeanwhile(channel));
    }
  }

  private static boolean matches(
      String tags, Optional<ChannelState> state, EntityTag.Comparison comparison) {
    return state
        .map(ChannelView::tag)
        .filter(tag -> tag.matchesAnyOf(tags, comparison))
        .isPresent();
  }
}
