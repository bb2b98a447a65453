package io.artifactserver.core.release;

import io.artifactserver.core.catalog.ArtifactId;

/** A channel, or what one points to, cannot be changed like this. Nothing was changed. */
public abstract sealed class ReleaseException extends Exception {
  private static final long serialVersionUID = 1L;

  private ReleaseException(String message) {
    super(message);
  }

  /** There is no such repository. */
  public static final class NoRepository extends ReleaseException {
    private static final long serialVersionUID = 1L;

    NoRepository(String repository) {
      super("There is no repository \"%s\"".formatted(repository));
    }
  }

  /** There is no such channel. */
  public static final class NoChannel extends ReleaseException {
    private static final long serialVersionUID = 1L;

    public NoChannel(Channel channel) {
      super(
          "There is no channel \"%s\" in the repository \"%s\""
              .formatted(channel.name(), channel.repository()));
    }
  }

  /** The release has no artifacts. */
  public static final class EmptyRelease extends ReleaseException {
    private static final long serialVersionUID = 1L;

    EmptyRelease(ArtifactId release) {
      super(
          "The release \"%s\" has no artifacts: no path in the repository \"%s\" begins with \"%s/\""
              .formatted(release.path(), release.repository(), release.path()));
    }
  }

  /** The channel has pointed to one release only. */
  public static final class NothingBefore extends ReleaseException {
    private static final long serialVersionUID = 1L;

    NothingBefore(ChannelState state) {
      super(
          "The channel \"%s\" has pointed to no release before \"%s\""
              .formatted(state.channel().name(), state.release()));
    }
  }

  /** Artifacts have the addresses that the channel would take. */
  public static final class AddressTaken extends ReleaseException {
    private static final long serialVersionUID = 1L;

    AddressTaken(Channel channel) {
      super(
          "There are artifacts below \"%s\", where the channel would have its address"
              .formatted(channel.address().path()));
    }
  }

  /** The repository has as many channels as it may have. */
  public static final class TooMany extends ReleaseException {
    private static final long serialVersionUID = 1L;

    TooMany(String repository) {
      super(
          "The repository \"%s\" has %d channels, and may have no more"
              .formatted(repository, ChannelBook.MAX_CHANNELS));
    }
  }

  /** A channel serves the artifact, so it cannot be deleted. */
  public static final class Released extends ReleaseException {
    private static final long serialVersionUID = 1L;

    Released(ArtifactId id, ChannelState state, String release) {
      super(
          "The channel \"%s\" points to the release \"%s\", which has \"%s\""
              .formatted(state.channel().name(), release, id.path()));
    }
  }

  /** Nobody whom the repository trusts vouches for an artifact of the release. */
  public static final class Unsigned extends ReleaseException {
    private static final long serialVersionUID = 1L;

    public Unsigned(ArtifactId artifact) {
      super(
          "%s has no good signature of a key that the repository trusts, so it is not released"
              .formatted(artifact));
    }
  }

  /** A channel serves the release, which was looked at before, so it takes nothing else. */
  public static final class Sealed extends ReleaseException {
    private static final long serialVersionUID = 1L;

    Sealed(ArtifactId id, ChannelState state, String release) {
      super(
          "%s would change the release \"%s\", whose signatures were looked at when the channel \"%s\" was pointed to it"
              .formatted(id, release, state.channel().name()));
    }
  }
}
