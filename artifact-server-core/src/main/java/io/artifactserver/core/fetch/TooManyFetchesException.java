package io.artifactserver.core.fetch;

/** There are as many unfinished fetches as there may be. */
public final class TooManyFetchesException extends Exception {
  private static final long serialVersionUID = 1L;

  TooManyFetchesException(int max, boolean isOfOwner) {
    super(
        "%s %d unfinished fetches, as many as there may be"
            .formatted(isOfOwner ? "Your token has" : "The server has", max));
  }
}
