package io.artifactserver.rest.problem;

import io.artifactserver.core.release.ReleaseException;
import io.artifactserver.core.release.ReleaseException.AddressTaken;
import io.artifactserver.core.release.ReleaseException.EmptyRelease;
import io.artifactserver.core.release.ReleaseException.NoChannel;
import io.artifactserver.core.release.ReleaseException.NoRepository;
import io.artifactserver.core.release.ReleaseException.NothingBefore;
import io.artifactserver.core.release.ReleaseException.Released;
import io.artifactserver.core.release.ReleaseException.Sealed;
import io.artifactserver.core.release.ReleaseException.TooMany;
import io.artifactserver.core.release.ReleaseException.Unsigned;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;

/** Problem details of channels and what they point to. Pure functions. */
public final class ReleaseProblems {
  private ReleaseProblems() {}

  /** 412: the channel is not as the request says (RFC 9110, section 13.1.1). */
  public static ProblemDetail changedMeanwhile(String channel) {
    return Problems.of(
        HttpStatus.PRECONDITION_FAILED,
        "Channel changed",
        "The channel \"%s\" is not as If-Match or If-None-Match says. GET it, decide again, and send"
                .formatted(channel)
            + " the ETag of that answer as If-Match.");
  }

  /** 428: a channel that is there is changed only by those who say what they saw (RFC 6585). */
  public static ProblemDetail conditionRequired(String channel) {
    return Problems.of(
        HttpStatus.PRECONDITION_REQUIRED,
        "If-Match needed",
        "The channel \"%s\" exists. GET it, and send the ETag of that answer as If-Match, so that two"
                .formatted(channel)
            + " people do not overwrite each other's change.");
  }

  /** 409: a channel serves a release as it was looked at. */
  static ProblemDetail sealed(@Nullable String detail) {
    return Problems.of(
        HttpStatus.CONFLICT,
        "Released",
        detail + ". Make another release, or point the channel to another one first.");
  }

  /** A change that cannot be made. */
  public static ProblemDetail of(ReleaseException failure) {
    String detail = failure.getMessage();
    return switch (failure) {
      case NoRepository _ ->
          Problems.of(
              HttpStatus.NOT_FOUND,
              "No such repository",
              detail + ". POST /api/v1/repositories creates one.");
      case NoChannel _ ->
          Problems.of(
              HttpStatus.NOT_FOUND,
              "No such channel",
              detail + ". PUT /api/v1/repositories/{repository}/channels/{channel} makes it.");
      case EmptyRelease _ ->
          Problems.of(
              HttpStatus.CONFLICT, "Empty release", detail + ". Upload the artifacts first.");
      case NothingBefore _ ->
          Problems.of(
              HttpStatus.CONFLICT,
              "Nothing to go back to",
              detail + ". PUT points the channel to another release.");
      case AddressTaken _ ->
          Problems.of(
              HttpStatus.CONFLICT,
              "Address taken",
              detail + ". Give the channel another name, or delete the artifacts.");
      case TooMany _ ->
          Problems.of(
              HttpStatus.CONFLICT,
              "Too many channels",
              detail + ". Delete one that no device follows any more.");
      case Unsigned _ ->
          Problems.of(
              HttpStatus.CONFLICT,
              "Not signed",
              detail
                  + ". Attach one: POST .../attachments?kind=signature. GET .../release-keys of the"
                  + " repository lists the keys.");
      case Sealed _ -> sealed(detail);
      case Released _ ->
          Problems.of(
              HttpStatus.CONFLICT,
              "Released",
              detail + ". Point the channel to another release first, or delete the channel.");
    };
  }
}
