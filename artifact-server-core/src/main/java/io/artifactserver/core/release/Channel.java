package io.artifactserver.core.release;

import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.InvalidNameException;
import io.artifactserver.core.catalog.Repository;

/**
 * The name of a channel, which devices follow from release to release. Immutable.
 *
 * @param repository that it belongs to, by name
 * @param name has the form of a repository's name
 */
public record Channel(String repository, String name) {
  /** Begins the first segment of a channel's address, and of no artifact's path. */
  public static final char MARK = '@';

  /**
   * @throws InvalidNameException if one of the names is none
   */
  public Channel {
    Repository.requireName(repository);
    try {
      Repository.requireName(name);
    } catch (InvalidNameException e) {
      throw new InvalidNameException(
          "A channel's name has the form of a repository's. " + e.getMessage());
    }
  }

  /**
   * The path that scopes of tokens name the channel by. Everything that the channel serves lies
   * below it.
   */
  public ArtifactId address() {
    return new ArtifactId(repository, MARK + name);
  }

  /** Whether a channel can have the name. */
  public static boolean isName(String name) {
    try {
      Repository.requireName(name);
      return true;
    } catch (InvalidNameException _) {
      return false;
    }
  }

  /** Whether the path lies where channels have their addresses. */
  public static boolean isAddress(String path) {
    return path.charAt(0) == MARK;
  }

  @Override
  public String toString() {
    return repository + "/" + MARK + name;
  }
}
