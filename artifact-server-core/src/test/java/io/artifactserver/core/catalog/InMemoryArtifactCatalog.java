package io.artifactserver.core.catalog;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.Digests;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A catalog on the heap, for tests: one lock stands for the database's transactions. Thread-safe.
 */
public class InMemoryArtifactCatalog implements ArtifactCatalog, BlobRegister {
  private final Map<String, Repository> repositories = new HashMap<>();
  private final Map<ArtifactId, Artifact> artifacts = new HashMap<>();
  private final Map<ArtifactId, UsedPath> used = new HashMap<>();
  private final Map<String, BlobRow> blobs = new HashMap<>();
  private final Set<String> suspects = new HashSet<>();
  private final InstantSource clock;

  /** A catalog by the system's clock. */
  public InMemoryArtifactCatalog() {
    this(InstantSource.system());
  }

  /**
   * @param clock tells when something was created or retired
   */
  public InMemoryArtifactCatalog(InstantSource clock) {
    this.clock = clock;
  }

  @Override
  public synchronized Optional<Repository> createRepository(
      String name, boolean isPublic, boolean encrypted, PathPolicy paths) {
    Repository repository = new Repository(name, isPublic, encrypted, false, paths, now());
    return repositories.putIfAbsent(name, repository) == null
        ? Optional.of(repository)
        : Optional.empty();
  }

  @Override
  public synchronized Optional<Repository> repository(String name) {
    return Optional.ofNullable(repositories.get(name));
  }

  @Override
  public synchronized List<Repository> repositories() {
    return repositories.values().stream().sorted(Comparator.comparing(Repository::name)).toList();
  }

  @Override
  public synchronized Optional<Artifact> find(ArtifactId id) {
    return Optional.ofNullable(artifacts.get(id));
  }

  @Override
  public synchronized Optional<Content> findContent(Digest digest) {
    List<Artifact> holders =
        artifacts.values().stream()
            .filter(
                artifact -> artifact.digests().get(digest.algorithm()).equals(Optional.of(digest)))
            .toList();
    return holders.stream()
        .findFirst()
        .map(first ->
            new Content(
                first.blob(),
                first.digests(),
                row(first.blob()).createdAt(),
                holders.stream().map(Artifact::repository).collect(Collectors.toSet())));
  }

  @Override
  public synchronized List<Artifact> list(
      String repository, List<PathRange> ranges, String after, int limit) {
    return artifacts.values().stream()
        .filter(artifact -> artifact.repository().name().equals(repository))
        .filter(artifact -> ranges.stream().anyMatch(range -> range.includes(artifact.path())))
        .filter(artifact -> PathRange.BY_CODE_POINT.compare(artifact.path(), after) > 0)
        .sorted(Comparator.comparing(Artifact::path, PathRange.BY_CODE_POINT))
        .limit(limit)
        .toList();
  }

  @Override
  public synchronized Optional<Addition> share(ArtifactId id, String mediaType, Digests digests) {
    Optional<Repository> repository = repository(id.repository());
    if (repository.isEmpty()) {
      return Optional.of(new Addition.NoRepository());
    }
    Artifact existing = artifacts.get(id);
    if (existing != null) {
      boolean isSame = existing.digests().sha256().equals(digests.sha256());
      return isSame && suspects.contains(existing.blob().key())
          ? Optional.empty()
          : Optional.of(new Addition.PathTaken(existing));
    }
    UsedPath last = used.get(id);
    if (last != null
        && !repository.get().paths().mutable()
        && !last.sha256().equals(digests.sha256())) {
      return Optional.of(new Addition.PathUsed(last));
    }
    return find(digests.sha256(), repository.get().encrypted())
        .filter(blob -> !suspects.contains(blob.key()))
        .map(blob -> insert(id, repository.get(), mediaType, row(blob)));
  }

  @Override
  public synchronized Addition add(ArtifactId id, String mediaType, BlobRef blob, Digests digests) {
    return share(id, mediaType, digests)
        .orElseGet(() ->
            insert(
                id,
                repository(id.repository()).orElseThrow(),
                mediaType,
                new BlobRow(blob, digests, now(), Instant.MAX)));
  }

  @Override
  public synchronized Optional<Repository> encryptRepository(String name) {
    return Optional.ofNullable(
        repositories.computeIfPresent(
            name,
            (key, before) ->
                new Repository(
                    key,
                    before.isPublic(),
                    true,
                    before.redirects(),
                    before.paths(),
                    before.createdAt())));
  }

  @Override
  public synchronized Optional<Repository> changeRepository(String name, RepositoryChange change) {
    return Optional.ofNullable(
        repositories.computeIfPresent(
            name,
            (key, before) ->
                new Repository(
                    key,
                    before.isPublic(),
                    before.encrypted(),
                    Objects.requireNonNullElse(change.redirects(), before.redirects()),
                    new PathPolicy(
                        Objects.requireNonNullElse(change.mutable(), before.paths().mutable()),
                        Objects.requireNonNullElse(change.maxAge(), before.paths().maxAge())),
                    before.createdAt())));
  }

  @Override
  public synchronized Optional<UsedPath> usedPath(ArtifactId id) {
    return Optional.ofNullable(used.get(id));
  }

  @Override
  public synchronized List<PlainContent> plainInEncrypted(String after, int limit) {
    return artifacts.values().stream()
        .filter(artifact -> isToEncrypt(artifact))
        .map(artifact -> new PlainContent(artifact.blob(), artifact.digests()))
        .distinct()
        .filter(content -> content.blob().key().compareTo(after) > 0)
        .sorted(Comparator.comparing(content -> content.blob().key()))
        .limit(limit)
        .toList();
  }

  @Override
  public synchronized boolean moveToEncrypted(PlainContent plain, BlobRef encrypted) {
    if (shareEncrypted(plain)
        || find(plain.digests().sha256(), true).isPresent()
        || artifacts.values().stream()
            .noneMatch(found -> isToEncrypt(found) && found.blob().equals(plain.blob()))) {
      return false;
    }
    blobs.put(encrypted.key(), new BlobRow(encrypted, plain.digests(), now(), Instant.MAX));
    return shareEncrypted(plain);
  }

  @Override
  public synchronized boolean shareEncrypted(PlainContent plain) {
    Optional<BlobRow> target =
        find(plain.digests().sha256(), true)
            .filter(blob -> !suspects.contains(blob.key()))
            .map(this::row);
    if (target.isEmpty()) {
      return false;
    }
    for (Artifact artifact : List.copyOf(artifacts.values())) {
      if (isToEncrypt(artifact) && artifact.blob().equals(plain.blob())) {
        insert(
            artifact.id(),
            repository(artifact.repository().name()).orElseThrow(),
            artifact.mediaType(),
            target.get());
      }
    }
    if (!isReferred(plain.blob())) {
      blobs.put(plain.blob().key(), row(plain.blob()).withRetiredAt(now()));
    }
    return true;
  }

  @Override
  public synchronized EncryptionProgress encryptionProgress(String repository) {
    List<Artifact> all = list(repository, "", "", Integer.MAX_VALUE);
    return new EncryptionProgress(
        all.size(), all.stream().filter(artifact -> artifact.blob().encrypted()).count());
  }

  @Override
  public synchronized Optional<BlobRef> find(Digest sha256, boolean encrypted) {
    return blobs.values().stream()
        .filter(row -> row.digests().sha256().equals(sha256))
        .map(BlobRow::ref)
        .filter(blob -> blob.encrypted() == encrypted)
        .findFirst();
  }

  @Override
  public synchronized boolean repair(BlobRef fresh, Digests digests) {
    Optional<BlobRow> lost =
        find(digests.sha256(), fresh.encrypted())
            .filter(blob -> suspects.remove(blob.key()))
            .map(blob -> blobs.remove(blob.key()));
    lost.ifPresent(row -> {
      Instant retiredAt = row.isRetired() ? now() : Instant.MAX;
      blobs.put(fresh.key(), new BlobRow(fresh, row.digests(), row.createdAt(), retiredAt));
      for (Artifact artifact : List.copyOf(artifacts.values())) {
        if (artifact.blob().equals(row.ref())) {
          artifacts.put(artifact.id(), with(artifact, fresh, artifact.hold(), artifact.support()));
        }
      }
    });
    return lost.isPresent();
  }

  @Override
  public synchronized boolean suspect(BlobRef blob) {
    suspects.add(blob.key());
    return blobs.containsKey(blob.key());
  }

  @Override
  public synchronized void clear(BlobRef blob) {
    suspects.remove(blob.key());
  }

  @Override
  public synchronized List<Suspect> suspectsAfter(String after, int limit) {
    return blobs.values().stream()
        .filter(row -> suspects.contains(row.ref().key()) && !row.isRetired())
        .filter(row -> row.ref().key().compareTo(after) > 0)
        .sorted(Comparator.comparing(row -> row.ref().key()))
        .limit(limit)
        .map(row -> new Suspect(row.ref(), row.digests().sha256()))
        .toList();
  }

  @Override
  public synchronized Set<String> suspects(Collection<String> keys) {
    return keys.stream().filter(suspects::contains).collect(Collectors.toSet());
  }

  @Override
  public synchronized long suspectCount() {
    return suspects.size();
  }

  @Override
  public synchronized Removal remove(ArtifactId id) {
    Artifact found = artifacts.get(id);
    if (found == null) {
      return new Removal.Absent();
    }
    if (found.hold() != null && found.hold().until().isAfter(now())) {
      return new Removal.Held(found.hold());
    }
    artifacts.remove(id);
    used.put(id, new UsedPath(id, found.digests().sha256(), now()));
    if (!isReferred(found.blob())) {
      blobs.put(found.blob().key(), row(found.blob()).withRetiredAt(now()));
    }
    return new Removal.Removed(found);
  }

  @Override
  public synchronized HoldResult hold(ArtifactId id, Hold hold) {
    Artifact found = artifacts.get(id);
    if (found == null) {
      return new HoldResult.Absent();
    }
    if (found.hold() != null && found.hold().until().isAfter(hold.until())) {
      return new HoldResult.Longer(found.hold());
    }
    Artifact held = with(found, found.blob(), hold, found.support());
    artifacts.put(id, held);
    return new HoldResult.Holds(held);
  }

  @Override
  public Optional<Artifact> support(ArtifactId id, Support support) {
    throw new UnsupportedOperationException("Only the database keeps it");
  }

  @Override
  public List<Artifact> listHeld(
      String repository, List<PathRange> ranges, String after, int limit) {
    throw new UnsupportedOperationException("Only the database lists them");
  }

  private static Artifact with(
      Artifact artifact, BlobRef blob, @Nullable Hold hold, @Nullable Support support) {
    return new Artifact(
        artifact.repository(),
        artifact.path(),
        blob,
        artifact.mediaType(),
        artifact.digests(),
        artifact.createdAt(),
        hold,
        support);
  }

  @Override
  public synchronized List<BlobRef> retiredBefore(Instant instant, int limit) {
    return blobs.values().stream()
        .filter(row -> row.isRetired() && row.retiredAt().isBefore(instant))
        .sorted(Comparator.comparing(BlobRow::retiredAt))
        .limit(limit)
        .map(BlobRow::ref)
        .toList();
  }

  @Override
  public synchronized boolean forget(BlobRef blob, Instant instant) {
    BlobRow row = blobs.get(blob.key());
    return row != null
        && row.isRetired()
        && row.retiredAt().isBefore(instant)
        && blobs.remove(blob.key(), row);
  }

  @Override
  public synchronized Set<String> known(Collection<String> keys) {
    return keys.stream().filter(blobs::containsKey).collect(Collectors.toSet());
  }

  @Override
  public synchronized long storedBytes() {
    return blobs.values().stream().mapToLong(row -> row.ref().length()).sum();
  }

  private Addition insert(ArtifactId id, Repository repository, String mediaType, BlobRow row) {
    Artifact artifact =
        new Artifact(repository, id.path(), row.ref(), mediaType, row.digests(), now());
    artifacts.put(id, artifact);
    blobs.put(row.ref().key(), row.withRetiredAt(Instant.MAX));
    return new Addition.Added(artifact);
  }

  private boolean isToEncrypt(Artifact artifact) {
    return !artifact.blob().encrypted()
        && repository(artifact.repository().name()).orElseThrow().encrypted();
  }

  private boolean isReferred(BlobRef blob) {
    return artifacts.values().stream().anyMatch(artifact -> artifact.blob().equals(blob));
  }

  private BlobRow row(BlobRef blob) {
    return Optional.ofNullable(blobs.get(blob.key())).orElseThrow();
  }

  @Override
  public Instant now() {
    return clock.instant().truncatedTo(ChronoUnit.MICROS);
  }
}
