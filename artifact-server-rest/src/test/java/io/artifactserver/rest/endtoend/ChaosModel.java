package io.artifactserver.rest.endtoend;

import io.artifactserver.core.digest.DigestAlgorithm;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;

/** The states that a server may show: of a path, a token, a key of links. Thread-safe. */
final class ChaosModel {
  /** The name of an artifact that is never deleted, so that tokens and links can be tried. */
  static final String PROBE = "probe";

  private static final int CONTENTS = 150;
  private static final int KILOBYTE = 1024;

  /** More than a part of an upload to S3 has. */
  private static final int LARGE = 6_000_001;

  /** Paths that were deleted long ago are asked for less and less often. */
  private static final int RECENT = 120;

  private static final int RECENTLY_REVOKED = 20;

  private final List<Content> contents = new ArrayList<>();
  private final List<Repository> repositories = new CopyOnWriteArrayList<>();
  private final List<ArtifactPath> paths = new ArrayList<>();
  private final List<Token> tokens = new ArrayList<>();
  private final List<Link> links = new ArrayList<>();
  private final Map<String, Timeline<Access>> keys = new ConcurrentHashMap<>();
  private final Map<String, Timeline<String>> limits = new ConcurrentHashMap<>();
  private volatile boolean isOver;

  ChaosModel(SplittableRandom random) {
    for (int i = 0; i < CONTENTS; i++) {
      contents.add(new Content(i, length(i, random), random.nextLong()));
    }
  }

  /** The state of a path. */
  sealed interface State {}

  /** The state of a path without an artifact. */
  enum Absence implements State {
    NEVER_USED,
    DELETED
  }

  /** Bytes that a path may have; each is another one. Immutable. */
  static final class Content implements State {
    private final int number;
    private final byte[] bytes;
    private final String sha256;

    private Content(int number, int length, long seed) {
      this.number = number;
      this.bytes = Bytes.random(length, seed);
      this.sha256 =
          HexFormat.of().formatHex(DigestAlgorithm.SHA_256.newMessageDigest().digest(bytes));
    }

    int length() {
      return bytes.length;
    }

    /** Not a copy; nobody changes them. */
    byte[] bytes() {
      return bytes;
    }

    String sha256() {
      return sha256;
    }

    String tag() {
      return '"' + sha256 + '"';
    }

    @Override
    public String toString() {
      return "content %d (%d bytes, %.8s)".formatted(number, bytes.length, sha256);
    }
  }

  /** Whether a token or the key of a link opens something. */
  enum Access {
    GOOD,
    REVOKED
  }

  /**
   * A repository.
   *
   * @param isEncrypted whether it was asked to encrypt
   */
  record Repository(String name, boolean isPublic, boolean isMutable, AtomicBoolean isEncrypted) {
    String api() {
      return "/api/v1/repositories/" + name;
    }
  }

  /** A path in a repository. One publisher alone changes it. */
  record ArtifactPath(Repository repository, String path, Timeline<State> states) {
    String api() {
      return repository.api() + "/artifacts/" + path;
    }

    String address() {
      return "/artifacts/" + repository.name() + "/" + path;
    }

    /** Returns the bytes, if no act is under way and the path has some. */
    Optional<Content> content() {
      return states.allowed().size() == 1
              && states.allowed().iterator().next() instanceof Content content
          ? Optional.of(content)
          : Optional.empty();
    }

    @Override
    public String toString() {
      return address();
    }
  }

  /** A device's token. */
  record Token(String id, String secret, Timeline<Access> access) {}

  /** A signed link. */
  record Link(ArtifactPath path, String url, Timeline<Access> access) {}

  /** Whether the chaos has ended, and everybody is to come to rest. */
  boolean isOver() {
    return isOver;
  }

  void end() {
    isOver = true;
  }

  Content content(SplittableRandom random) {
    return contents.get(random.nextInt(contents.size()));
  }

  Content contentOtherThan(Content one, SplittableRandom random) {
    Content other = content(random);
    return other == one ? contents.get((one.number + 1) % contents.size()) : other;
  }

  /** Returns the length of the content with a digest in hexadecimal digits. */
  Optional<Integer> length(String sha256) {
    return contents.stream()
        .filter(content -> content.sha256.equals(sha256))
        .map(Content::length)
        .findFirst();
  }

  void add(Repository repository) {
    repositories.add(repository);
    limits.put(repository.name(), new Timeline<>("null null"));
  }

  List<Repository> repositories() {
    return List.copyOf(repositories);
  }

  /** Returns one of those that fit; there is one. */
  Repository repository(SplittableRandom random, Predicate<Repository> fits) {
    List<Repository> fitting = repositories.stream().filter(fits).toList();
    return fitting.get(random.nextInt(fitting.size()));
  }

  /** Its limits as {@code bytesPerSecond concurrentDownloads}. */
  Timeline<String> limits(Repository repository) {
    return limits.computeIfAbsent(repository.name(), _ -> new Timeline<>("null null"));
  }

  synchronized ArtifactPath addPath(Repository repository, String path) {
    ArtifactPath added = new ArtifactPath(repository, path, new Timeline<>(Absence.NEVER_USED));
    paths.add(added);
    return added;
  }

  synchronized List<ArtifactPath> paths() {
    return List.copyOf(paths);
  }

  /** Returns a path that fits, one of the latest mostly. */
  synchronized Optional<ArtifactPath> path(SplittableRandom random, Predicate<ArtifactPath> fits) {
    int from = random.nextInt(20) == 0 ? 0 : Math.max(0, paths.size() - RECENT);
    int count = paths.size() - from;
    int start = count == 0 ? 0 : random.nextInt(count);
    for (int i = 0; i < count; i++) {
      ArtifactPath path = paths.get(from + (start + i) % count);
      if (fits.test(path)) {
        return Optional.of(path);
      }
    }
    return Optional.empty();
  }

  synchronized void add(Token token) {
    tokens.add(token);
  }

  synchronized List<Token> tokens() {
    return List.copyOf(tokens);
  }

  /** Returns one of the last tokens with this access. */
  synchronized Optional<Token> token(SplittableRandom random, Access access) {
    List<Token> fitting = tokens.stream().filter(token -> token.access().is(access)).toList();
    return any(
        fitting.subList(Math.max(0, fitting.size() - RECENTLY_REVOKED), fitting.size()), random);
  }

  synchronized void add(Link link) {
    links.add(link);
  }

  synchronized List<Link> links() {
    return List.copyOf(links);
  }

  /** Returns one of the last links that may still open something. */
  synchronized Optional<Link> link(SplittableRandom random) {
    return any(links.subList(Math.max(0, links.size() - RECENT), links.size()), random);
  }

  /** Whether links of a key open something. */
  Timeline<Access> key(String id) {
    return keys.computeIfAbsent(id, _ -> new Timeline<>(Access.GOOD));
  }

  private static <T> Optional<T> any(List<T> all, SplittableRandom random) {
    return all.isEmpty() ? Optional.empty() : Optional.of(all.get(random.nextInt(all.size())));
  }

  /**
   * Short ones and edges of segments and pieces, many of some hundred kilobytes, few large ones.
   */
  private static int length(int number, SplittableRandom random) {
    return switch (number % 10) {
      case 0 -> number == 0 ? LARGE : 1 + random.nextInt(100);
      case 1 -> 16 * KILOBYTE * (1 + random.nextInt(8)) + random.nextInt(3) - 1;
      case 2 -> 1024 * KILOBYTE + random.nextInt(3) - 1;
      case 3, 4, 5 -> 1 + random.nextInt(64 * KILOBYTE);
      default -> 64 * KILOBYTE + random.nextInt(300 * KILOBYTE);
    };
  }
}
