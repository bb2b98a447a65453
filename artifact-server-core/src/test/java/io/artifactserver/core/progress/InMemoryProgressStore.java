package io.artifactserver.core.progress;

import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.progress.ProgressStore.Added;
import io.artifactserver.core.progress.ProgressStore.Addition;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Keeps progress on the heap, for tests, and fails when told to. Thread-safe. */
final class InMemoryProgressStore implements ProgressStore {
  private final TreeMap<String, DeviceProgress> rows = new TreeMap<>();
  private volatile @Nullable RuntimeException failure;
  private volatile long count = -1;

  /** From now on rows are not taken, but for null. */
  void fail(@Nullable RuntimeException newFailure) {
    failure = newFailure;
  }

  /** From now on it says that it has so many rows. */
  void pretend(long newCount) {
    count = newCount;
  }

  @Override
  public synchronized Added add(List<Addition> additions, Predicate<Addition> mayBegin) {
    RuntimeException thrown = failure;
    if (thrown != null) {
      throw thrown;
    }
    List<Addition> kept = new ArrayList<>();
    List<Addition> begun = new ArrayList<>();
    for (Addition each : additions) {
      boolean isNew = !rows.containsKey(key(each));
      if (!isNew || mayBegin.test(each)) {
        kept.add(
            new Addition(
                each.subject(),
                rows.merge(key(each), each.progress(), DeviceProgress::then),
                each.namedBy()));
        if (isNew) {
          begun.add(each);
        }
      }
    }
    return new Added(kept, begun);
  }

  @Override
  public synchronized long count() {
    return count < 0 ? rows.size() : count;
  }

  private static String key(Addition addition) {
    return addition.subject() + " " + addition.progress().device();
  }

  @Override
  public synchronized List<DeviceProgress> list(ProgressSubject subject, String after, int limit) {
    return rows.entrySet().stream()
        .filter(row -> row.getKey().startsWith(subject + " "))
        .map(row -> row.getValue())
        .filter(progress -> progress.device().compareTo(after) > 0)
        .limit(limit)
        .toList();
  }

  @Override
  public synchronized List<DeviceProgress> missing(
      ProgressSubject subject, String after, int limit) {
    return rows.values().stream()
        .map(DeviceProgress::device)
        .distinct()
        .filter(device -> device.compareTo(after) > 0)
        .sorted()
        .map(device -> rows.getOrDefault(subject + " " + device, DeviceProgress.nothing(device)))
        .filter(progress -> progress.delivered().count() < subject.length())
        .limit(limit)
        .toList();
  }

  @Override
  public synchronized List<ArtifactProgress> ofDevice(String device, int limit) {
    return rows.values().stream()
        .filter(progress -> progress.device().equals(device))
        .limit(limit)
        .map(progress -> new ArtifactProgress(new ArtifactId("edge", "a"), 1000, progress))
        .toList();
  }

  @Override
  public Summary summary(ProgressSubject subject, Instant since) {
    throw new AssertionError(subject);
  }

  @Override
  public int deleteUnchangedSince(Instant instant, int limit) {
    return 0;
  }

  @Override
  public int deleteOrphans(int limit) {
    return 0;
  }
}
