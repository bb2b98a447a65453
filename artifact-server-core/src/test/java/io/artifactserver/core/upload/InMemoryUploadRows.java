package io.artifactserver.core.upload;

import io.artifactserver.core.catalog.CatalogUnavailableException;
import io.artifactserver.core.ingest.IngestRequest;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;

/** Keeps unfinished uploads on the heap, for tests, and is away when told to. Thread-safe. */
public final class InMemoryUploadRows implements UploadRows {
  private final Map<String, UnfinishedUpload> rows = new ConcurrentSkipListMap<>();
  private final AtomicReference<Runnable> afterExpired = new AtomicReference<>(() -> {});
  private volatile boolean isAway;
  private final AtomicInteger advances = new AtomicInteger();

  /** Runs an action when uploads were found to be expired, before they are ended. */
  public void afterExpired(Runnable action) {
    afterExpired.set(action);
  }

  /** Whether the database cannot be asked. */
  public void away(boolean isAway) {
    this.isAway = isAway;
  }

  /** How often an upload's progress was kept. */
  public int advances() {
    return advances.get();
  }

  /** All rows, complete ones included. */
  public int size() {
    return rows.size();
  }

  @Override
  public void add(UnfinishedUpload upload) {
    requireThere();
    rows.put(upload.id(), upload);
  }

  @Override
  public Optional<UnfinishedUpload> find(String id) {
    requireThere();
    return Optional.ofNullable(rows.get(id));
  }

  @Override
  public boolean advance(String id, UploadProgress progress, Instant expiresAt) {
    requireThere();
    advances.incrementAndGet();
    return rows.computeIfPresent(
            id, (_, row) -> with(row, row.request(), progress, row.isComplete(), expiresAt))
        != null;
  }

  @Override
  public void declare(String id, IngestRequest request) {
    requireThere();
    rows.computeIfPresent(
        id, (_, row) -> with(row, request, row.progress(), row.isComplete(), row.expiresAt()));
  }

  @Override
  public void complete(String id, Instant expiresAt) {
    requireThere();
    rows.computeIfPresent(
        id,
        (_, row) ->
            with(
                row,
                row.request(),
                new UploadProgress(
                    row.request().declaredLength(),
                    new byte[0],
                    new byte[0],
                    false,
                    row.progress().parts()),
                true,
                expiresAt));
  }

  @Override
  public void extend(String id, Instant expiresAt) {
    requireThere();
    rows.computeIfPresent(
        id, (_, row) -> with(row, row.request(), row.progress(), row.isComplete(), expiresAt));
  }

  @Override
  public void remove(String id) {
    requireThere();
    rows.remove(id);
  }

  @Override
  public List<UnfinishedUpload> unfinished(String after, int limit) {
    requireThere();
    return rows.values().stream()
        .filter(row -> (!row.isComplete() || row.isPart()) && row.id().compareTo(after) > 0)
        .limit(limit)
        .toList();
  }

  @Override
  public List<UnfinishedUpload> expiredBefore(Instant instant, int limit) {
    requireThere();
    List<UnfinishedUpload> expired =
        rows.values().stream()
            .filter(row -> row.expiresAt().isBefore(instant))
            .limit(limit)
            .toList();
    afterExpired.get().run();
    return expired;
  }

  @Override
  public int removeCompleteBut(int keep) {
    requireThere();
    List<String> forgotten =
        rows.values().stream()
            .filter(row -> row.isComplete() && !row.isPart())
            .sorted(Comparator.comparing(UnfinishedUpload::expiresAt).reversed())
            .skip(keep)
            .map(UnfinishedUpload::id)
            .toList();
    forgotten.forEach(rows::remove);
    return forgotten.size();
  }

  @Override
  public Set<String> blobKeys() {
    requireThere();
    return rows.values().stream()
        .filter(row -> !row.isComplete() || row.isPart())
        .map(UnfinishedUpload::blobKey)
        .collect(Collectors.toSet());
  }

  private void requireThere() {
    if (isAway) {
      throw new CatalogUnavailableException("The database is away");
    }
  }

  private static UnfinishedUpload with(
      UnfinishedUpload row,
      IngestRequest request,
      UploadProgress progress,
      boolean isComplete,
      Instant expiresAt) {
    return new UnfinishedUpload(
        row.id(),
        row.owner(),
        request,
        row.metadata(),
        row.encrypted(),
        row.blobKey(),
        progress,
        row.isPart(),
        row.parts(),
        isComplete,
        expiresAt);
  }
}
