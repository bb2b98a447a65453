package io.artifactserver.rest.delivery.resolve;

import io.artifactserver.core.catalog.UsedPath;
import org.springframework.http.ProblemDetail;

/** The result of a lookup. */
public sealed interface Resolution {
  /** To be served. */
  record Found(Served served) implements Resolution {}

  /** To be served to a device in a stage, which is watched. */
  record Followed(Served served, Chosen chosen) implements Resolution {}

  /**
   * At another address, for everything that the client asks for next: a form's bytes only make
   * sense with those of the artifact that it was made of.
   *
   * @param address absolute path
   */
  record Elsewhere(String address) implements Resolution {}

  /**
   * The channel that a device asks about has this for it.
   *
   * @param chosen why this one
   * @param address absolute path of the artifact
   */
  record Offered(Served served, Chosen chosen, String address) implements Resolution {}

  /**
   * The channel that a device asks about has nothing for it.
   *
   * @param isWaiting whether it is to get something when a rollout goes on
   */
  record Nothing(boolean isWaiting) implements Resolution {}

  /** To be served in a while: what is computed from an artifact is not there yet. */
  record NotReady() implements Resolution {}

  /** The artifact was deleted in the last year, and the sender may read its path. */
  record Gone(UsedPath used) implements Resolution {}

  /** Nothing, or nothing the sender may know of. */
  record NotFound() implements Resolution {}

  /** So many wrong secrets came that this one is not looked at. */
  record Throttled() implements Resolution {}

  /** A good token is needed. */
  record Unauthorized() implements Resolution {}

  /** It cannot be served. */
  record Failed(ProblemDetail problem) implements Resolution {}
}
