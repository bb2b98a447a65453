package io.artifactserver.core.retention;

import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.ArtifactCatalog.Removal;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.PathRange;
import io.artifactserver.core.release.ChannelBook;
import io.artifactserver.core.release.ReleaseException;
import io.artifactserver.core.retire.ArtifactRetirement;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/**
 * Use case: delete what the rules of repositories do not keep. Holds win: the catalog removes
 * nothing that is held, and what a channel points or pointed to is not proposed. Thread-safe.
 */
public record Retention(
    ArtifactCatalog catalog,
    ArtifactRetirement retirement,
    RetentionStore store,
    ChannelBook channels,
    InstantSource clock) {
  /** Artifacts of a repository that one run deletes at most: the next one goes on. */
  public static final int MAX_DELETED = 10_000;

  private static final int PAGE = 1_000;

  /**
   * The artifacts that rules would delete now, by rule and path. Reads all artifacts below the
   * folders of the rules twice.
   *
   * @param limit of how many are returned
   */
  public Plan plan(String repository, RetentionRules rules, int limit) {
    List<Artifact> goes = new ArrayList<>();
    LongAdder count = new LongAdder();
    LongAdder bytes = new LongAdder();
    LongAdder held = new LongAdder();
    LongAdder released = new LongAdder();
    Set<String> releases = channels.releases(repository);
    for (RetentionRule rule : rules.rules()) {
      Set<String> kept = kept(repository, rule);
      each(
          repository,
          rule,
          artifact -> {
            if (kept.contains(rule.release(artifact.path()))) {
              return;
            }
            if (artifact.hold() != null) {
              held.increment();
            } else if (isIn(releases, artifact.path())) {
              released.increment();
            } else {
              count.increment();
              bytes.add(artifact.length());
              if (goes.size() < limit) {
                goes.add(artifact);
              }
            }
          });
    }
    return new Plan(List.copyOf(goes), count.sum(), bytes.sum(), held.sum(), released.sum());
  }

  /**
   * Deletes what the active rules of all repositories do not keep.
   *
   * @param deleted is told of each artifact that is gone
   */
  public void run(Consumer<Artifact> deleted) {
    store
        .active()
        .forEach((repository, rules) -> {
          for (Artifact artifact : plan(repository, rules, MAX_DELETED).goes()) {
            delete(artifact.id()).ifPresent(deleted);
          }
        });
  }

  /** Returns the artifact, unless it is gone, or was held or released since it was proposed. */
  private Optional<Artifact> delete(ArtifactId id) {
    try {
      return retirement.retire(id) instanceof Removal.Removed(Artifact gone)
          ? Optional.of(gone)
          : Optional.empty();
    } catch (ReleaseException.Released e) {
      return Optional.empty();
    }
  }

  /** Whether one of the folders has the path below it. */
  private static boolean isIn(Set<String> folders, String path) {
    for (int end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      if (folders.contains(path.substring(0, end))) {
        return true;
      }
    }
    return false;
  }

  private Set<String> kept(String repository, RetentionRule rule) {
    Map<String, Instant> releases = new HashMap<>();
    each(
        repository,
        rule,
        artifact ->
            releases.merge(
                rule.release(artifact.path()),
                artifact.createdAt(),
                (left, right) -> left.isAfter(right) ? left : right));
    Set<String> kept = new HashSet<>();
    if (rule.newest() != null) {
      releases.entrySet().stream()
          .sorted(
              Map.Entry.<String, Instant>comparingByValue()
                  .thenComparing(Map.Entry.comparingByKey(PathRange.BY_CODE_POINT))
                  .reversed())
          .limit(rule.newest())
          .forEach(release -> kept.add(release.getKey()));
    }
    if (rule.age() != null) {
      Instant oldest = clock.instant().minus(rule.age());
      releases.forEach((release, newest) -> {
        if (!newest.isBefore(oldest)) {
          kept.add(release);
        }
      });
    }
    return kept;
  }

  private void each(String repository, RetentionRule rule, Consumer<Artifact> consumer) {
    String after = "";
    List<Artifact> page;
    do {
      page = catalog.list(repository, List.of(rule.range()), after, PAGE);
      page.forEach(consumer);
      after = page.isEmpty() ? after : page.getLast().path();
    } while (page.size() == PAGE);
  }

  /**
   * The artifacts that rules would delete now. Immutable.
   *
   * @param goes the first of them, as many as were asked for
   * @param count how many there are
   * @param bytes of all of them
   * @param held how many more would go, if no hold kept them
   * @param released how many more would go, if no channel pointed or had pointed to them
   */
  public record Plan(List<Artifact> goes, long count, long bytes, long held, long released) {}
}
