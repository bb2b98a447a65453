package io.artifactserver.core.limit;

import java.net.InetAddress;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * All limits as they are at one moment. Immutable, but for what is in the buckets and queues;
 * thread-safe. Nothing here asks the database.
 *
 * <p>A download passes the buckets of the limits that name callers, then of those that name
 * addresses, then those of its {@link Lane}: of its repository, of the limits that name nothing,
 * and of the server.
 */
public final class LimitTable {
  private final Map<String, OfRepository> repositories;

  /** In the order in which they apply; limits of the same kind by name. */
  private final List<Named> named;

  private final List<Named> classes;
  private final boolean asksForCallers;
  private final Map<String, Lane> lanes = new HashMap<>();
  private final Lane open;

  /**
   * @param repositories that have limits
   * @param serverBuckets of all downloads together; empty if there is no limit
   */
  LimitTable(
      Map<String, OfRepository> repositories, List<Named> named, List<TokenBucket> serverBuckets) {
    this.repositories = Map.copyOf(repositories);
    this.named =
        named.stream()
            .sorted(
                Comparator.comparing((Named each) -> !each.limit.asksForCaller())
                    .thenComparing(each -> each.limit.name()))
            .toList();
    this.classes = this.named.stream().filter(each -> !each.limit.isOfEverything()).toList();
    this.asksForCallers = classes.stream().anyMatch(each -> each.limit.asksForCaller());
    List<TokenBucket> ofEverything =
        Stream.concat(
                this.named.stream()
                    .filter(each -> each.limit.isOfEverything())
                    .map(each -> each.bucket),
                serverBuckets.stream())
            .toList();
    this.open = new Lane(ofEverything, Optional.empty());
    this.repositories.forEach((repository, each) ->
        lanes.put(
            repository,
            new Lane(
                Stream.concat(Stream.of(each.bucket), ofEverything.stream()).toList(),
                Optional.of(each.queue))));
  }

  /** Whether no repository has limits: then every lane is the open one. */
  public boolean isEmpty() {
    return lanes.isEmpty();
  }

  /** Returns the limits of a repository. */
  public RepositoryLimits limits(String repository) {
    OfRepository known = repositories.get(repository);
    return known == null ? RepositoryLimits.NONE : known.limits;
  }

  /** Returns the lane of downloads that belong to no repository, or to one without limits. */
  public Lane open() {
    return open;
  }

  /** Returns the lane of a repository's downloads. */
  public Lane lane(String repository) {
    return lanes.getOrDefault(repository, open);
  }

  /** Returns the limits that have names, in the order of the names. */
  public List<NamedLimit> named() {
    return named.stream()
        .map(each -> each.limit)
        .sorted(Comparator.comparing(NamedLimit::name))
        .toList();
  }

  /** Whether some limits are of some downloads, by who asks or from where. */
  public boolean hasClasses() {
    return !classes.isEmpty();
  }

  /** Whether some limits are by who asks. */
  public boolean asksForCallers() {
    return asksForCallers;
  }

  /**
   * Returns the buckets of those limits that a download fits, in the order in which it passes them.
   *
   * @param role {@link NamedLimit#ANONYMOUS} if nobody knows who asks
   * @param caller empty if nobody knows
   * @param address empty if nobody knows
   */
  public List<TokenBucket> classes(String role, String caller, Optional<InetAddress> address) {
    return classes.stream()
        .filter(each -> each.limit.fits(role, caller, address))
        .map(each -> each.bucket)
        .toList();
  }

  Map<String, OfRepository> repositories() {
    return repositories;
  }

  List<Named> entries() {
    return named;
  }

  /** The limits and the queue of one repository. */
  record OfRepository(RepositoryLimits limits, TokenBucket bucket, DownloadQueue queue) {}

  /** A limit and its bucket. */
  record Named(NamedLimit limit, TokenBucket bucket) {}
}
