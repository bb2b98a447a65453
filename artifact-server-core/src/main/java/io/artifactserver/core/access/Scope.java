package io.artifactserver.core.access;

import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.PathRange;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Which artifacts a caller may reach. Immutable.
 *
 * @param repositories names; empty for every one
 * @param paths prefixes, of whole segments: {@code stable} is {@code stable} and everything below
 *     {@code stable/}. One that ends in {@code *} is of characters: {@code fw-*} is also {@code
 *     fw-2.img}. Empty for every path.
 */
public record Scope(Set<String> repositories, Set<String> paths) {
  /** Everything. */
  public static final Scope ALL = new Scope(Set.of(), Set.of());

  /** Nothing: no repository has an empty name. */
  public static final Scope NOTHING = new Scope(Set.of(""), Set.of());

  /** Most names and prefixes of one scope, each. */
  public static final int MAX = 100;

  private static final String WILDCARD = "*";

  /**
   * @throws IllegalArgumentException if there are too many, or a prefix is empty or begins with a
   *     slash
   */
  public Scope {
    repositories = Set.copyOf(repositories);
    paths = paths.stream().map(Scope::withoutSlash).collect(Collectors.toUnmodifiableSet());
    if (repositories.size() > MAX || paths.size() > MAX) {
      throw new IllegalArgumentException("A scope has at most %d names".formatted(MAX));
    }
    for (String path : paths) {
      int max = ArtifactId.MAX_PATH_LENGTH + (path.endsWith(WILDCARD) ? WILDCARD.length() : 0);
      if (path.isEmpty() || path.startsWith("/") || path.length() > max) {
        throw new IllegalArgumentException(
            "A prefix of paths is 1 to %d characters and does not begin with '/'"
                .formatted(ArtifactId.MAX_PATH_LENGTH));
      }
    }
  }

  /** Covers whole repositories. */
  public static Scope of(Set<String> repositories) {
    return repositories.isEmpty() ? ALL : new Scope(repositories, Set.of());
  }

  /**
   * The least scope that has the artifact, so that every other scope that has it has all of this
   * one. It also has what begins with the artifact's path and a slash or, if the path ends in a
   * star, with the path.
   */
  public static Scope of(ArtifactId id) {
    String path = id.path();
    return new Scope(
        Set.of(id.repository()), Set.of(path.endsWith(WILDCARD) ? path + WILDCARD : path));
  }

  /** Whether the artifact is in it. */
  public boolean includes(ArtifactId id) {
    return includesSomeOf(id.repository()) && (paths.isEmpty() || includesPath(id.path()));
  }

  /** Whether something of the repository may be in it. */
  public boolean includesSomeOf(String repository) {
    return repositories.isEmpty() || repositories.contains(repository);
  }

  /** Whether all of the repository is in it. */
  public boolean includesAllOf(String repository) {
    return paths.isEmpty() && includesSomeOf(repository);
  }

  /**
   * The paths in it that begin with a prefix, in the order of their code points. No two ranges
   * overlap.
   */
  public List<PathRange> ranges(String prefix) {
    PathRange wanted = PathRange.beginningWith(prefix);
    if (paths.isEmpty()) {
      return List.of(wanted);
    }
    List<PathRange> ranges = new ArrayList<>();
    paths.stream()
        .flatMap(Scope::rangesOf)
        .flatMap(range -> range.and(wanted).stream())
        .sorted(PathRange.BY_BEGIN)
        .forEach(range -> {
          // Of two that have a path in common, one contains the other.
          if (ranges.isEmpty() || range.and(ranges.getLast()).isEmpty()) {
            ranges.add(range);
          }
        });
    return ranges;
  }

  private static Stream<PathRange> rangesOf(String prefix) {
    return prefix.endsWith(WILDCARD)
        ? Stream.of(PathRange.beginningWith(withoutWildcard(prefix)))
        : Stream.of(PathRange.only(prefix), PathRange.beginningWith(prefix + '/'));
  }

  private boolean includesPath(String path) {
    for (String prefix : paths) {
      if (prefix.endsWith(WILDCARD)
          ? path.startsWith(withoutWildcard(prefix))
          : path.startsWith(prefix)
              && (path.length() == prefix.length() || path.charAt(prefix.length()) == '/')) {
        return true;
      }
    }
    return false;
  }

  private static String withoutWildcard(String prefix) {
    return prefix.substring(0, prefix.length() - WILDCARD.length());
  }

  private static String withoutSlash(String path) {
    return path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
  }
}
