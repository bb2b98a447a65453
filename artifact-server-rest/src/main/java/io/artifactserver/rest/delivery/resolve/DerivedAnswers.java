package io.artifactserver.rest.delivery.resolve;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStores;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.CatalogUnavailableException;
import io.artifactserver.core.catalog.Reach;
import io.artifactserver.core.derive.ChunkIndex;
import io.artifactserver.core.derive.ChunkPack;
import io.artifactserver.core.derive.DerivationRules;
import io.artifactserver.core.derive.Derived;
import io.artifactserver.core.derive.DerivedForm;
import io.artifactserver.core.derive.DerivedRegister;
import io.artifactserver.core.derive.StoredChunks;
import io.artifactserver.rest.delivery.address.DerivedName;
import io.artifactserver.rest.delivery.resolve.DerivedFolder.Place;
import io.artifactserver.rest.log.FailureLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Finds forms and chunks by their addresses, as far as they are of artifacts that the sender may
 * read: the others have no part in any answer, nor in when it comes. Findings are answered from
 * memory, and only as long as the artifact is what it was; that something is not there is looked up
 * each time. Thread-safe.
 */
public final class DerivedAnswers {
  private static final FailureLog FAILURES =
      new FailureLog(LoggerFactory.getLogger(DerivedAnswers.class));

  /** Artifacts of a folder whose chunks are served; the newest ones. */
  private static final int MAX_MEMBERS = 1_000;

  /**
   * Artifacts that look like chunks of a folder. With more of them, the catalog is asked for each
   * chunk of the folder.
   */
  private static final int MAX_TAKEN = 10_000;

  /** Part of the heap that indexes of chunks may take. */
  private static final int HEAP_SHARE = 8;

  private static final long MAX_INDEX_MEMORY =
      Math.min(64L * 1024 * 1024, Runtime.getRuntime().maxMemory() / HEAP_SHARE);

  private static final int MAX_FORMS = 1_000;

  /** An artifact that takes the path of a form is served within this time. */
  private static final Duration REMEMBERED = Duration.ofSeconds(10);

  private final DerivationRules rules;
  private final ArtifactCatalog catalog;
  private final DerivedRegister register;
  private final StoredChunks chunks;

  private final Cache<ArtifactId, KnownForm> forms =
      Caffeine.newBuilder()
          .executor(Runnable::run)
          .maximumSize(MAX_FORMS)
          .expireAfterWrite(REMEMBERED)
          .build();

  private final Cache<Place, DerivedFolder> folders =
      Caffeine.newBuilder()
          .executor(Runnable::run)
          .maximumWeight(MAX_INDEX_MEMORY)
          .weigher((Place _, DerivedFolder folder) -> folder.memory())
          .build();

  private final ConcurrentMap<Place, CompletableFuture<DerivedFolder>> loads =
      new ConcurrentHashMap<>();

  public DerivedAnswers(
      DerivationRules rules, ArtifactCatalog catalog, DerivedRegister register, BlobStores stores) {
    this.rules = rules;
    this.catalog = catalog;
    this.register = register;
    this.chunks = new StoredChunks(stores);
  }

  /**
   * Finds what is served, or will be soon, at the address of a form or a chunk. Asks the catalog
   * and the store, and blocks, if it may; then no artifact has the address itself.
   *
   * @param readable which artifacts the sender may read
   */
  Optional<Resolution> find(ArtifactId id, Predicate<ArtifactId> readable, Reach reach) {
    return switch (DerivedName.of(id, rules).orElse(null)) {
      case null -> Optional.empty();
      case DerivedName.OfForm(ArtifactId of, DerivedForm.Addressed form) ->
          Optional.of(of)
              .filter(readable)
              .flatMap(each -> catalog.find(each, reach))
              .filter(artifact -> rules.suits(of, artifact.length()))
              .flatMap(artifact -> form(id, artifact, form, reach));
      case DerivedName.OfChunk chunk -> chunk(id, chunk, readable, reach);
    };
  }

  private Optional<Resolution> chunk(
      ArtifactId id, DerivedName.OfChunk chunk, Predicate<ArtifactId> readable, Reach reach) {
    long begin = System.nanoTime();
    Function<ArtifactId, Optional<Artifact>> artifacts = each -> catalog.find(each, reach);
    for (Place place : Place.of(chunk)) {
      DerivedFolder known = folders.getIfPresent(place);
      // Only the database knows whether an artifact has the address.
      if (known != null
          && !isStale(known)
          && (reach == Reach.DATABASE || !known.taken().mayInclude(id.path()))) {
        Optional<Resolution> found = find(known, chunk, readable, artifacts);
        if (found.isPresent()) {
          return found;
        }
      }
    }
    if (reach == Reach.MEMORY) {
      return Optional.empty();
    }
    // Chunks may have been added since, or even while others waited for the same.
    boolean isToCome = false;
    for (Place place : Place.of(chunk)) {
      DerivedFolder current = loadedSince(begin, place);
      Optional<Resolution> found = find(current, chunk, readable, artifacts);
      if (found.isPresent()) {
        return found;
      }
      isToCome |= current.isWaiting(readable) && current.hasStoreNamed(chunk.store(), readable);
    }
    return isToCome ? Optional.of(new Resolution.NotReady()) : Optional.empty();
  }

  /**
   * One caller at a time loads a folder, under no lock; others wait for it, and share its failure.
   */
  private DerivedFolder loadedSince(long begin, Place place) {
    while (true) {
      @Nullable DerivedFolder known = folders.getIfPresent(place);
      if (known != null && known.loadedAt() >= begin && !isStale(known)) {
        return known;
      }
      CompletableFuture<DerivedFolder> mine = new CompletableFuture<>();
      @Nullable CompletableFuture<DerivedFolder> other = loads.putIfAbsent(place, mine);
      if (other == null) {
        return load(place, known, mine);
      }
      // It may have begun too early.
      DerivedFolder loaded = joined(other);
      if (loaded.loadedAt() >= begin && !isStale(loaded)) {
        return loaded;
      }
    }
  }

  /** Completes the future, whatever happens: others may wait for it. */
  private DerivedFolder load(
      Place place, @Nullable DerivedFolder old, CompletableFuture<DerivedFolder> mine) {
    try {
      DerivedFolder loaded = load(place, old);
      folders.put(place, loaded);
      mine.complete(loaded);
      return loaded;
    } catch (RuntimeException | Error e) {
      mine.completeExceptionally(e);
      throw e;
    } finally {
      loads.remove(place, mine);
    }
  }

  private static DerivedFolder joined(CompletableFuture<DerivedFolder> other) {
    try {
      return other.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof CatalogUnavailableException failure ? failure : e;
    }
  }

  private boolean isStale(DerivedFolder folder) {
    return folder.changes() != rules.changes()
        || System.nanoTime() - folder.loadedAt() > REMEMBERED.toNanos();
  }

  private Optional<Resolution> form(
      ArtifactId address, Artifact artifact, DerivedForm.Addressed form, Reach reach) {
    int changes = rules.changes();
    if (reach == Reach.MEMORY) {
      return Optional.ofNullable(forms.getIfPresent(address))
          .filter(known -> known.changes() == changes && known.artifact().equals(artifact))
          .map(known -> new Resolution.Found(known.served()));
    }
    for (Derived each : register.of(artifact.blob())) {
      if (each.form().equals(form.name())) {
        return switch (each) {
          case Derived.Skipped _ -> Optional.empty();
          case Derived.Stored stored -> {
            KnownForm known =
                new KnownForm(artifact, ServedForms.form(artifact, form, stored, address), changes);
            forms.put(address, known);
            yield Optional.of(new Resolution.Found(known.served()));
          }
        };
      }
    }
    return Optional.of(new Resolution.NotReady());
  }

  /** Several artifacts may have the chunk: it is served of the first that the sender may read. */
  private static Optional<Resolution> find(
      DerivedFolder folder,
      DerivedName.OfChunk name,
      Predicate<ArtifactId> readable,
      Function<ArtifactId, Optional<Artifact>> artifacts) {
    if (!folder.hasStoreNamed(name.store(), readable)) {
      return Optional.empty();
    }
    byte[] id = name.id();
    for (DerivedFolder.Member member : folder.members()) {
      Optional<ChunkIndex.Chunk> chunk = member.index().find(id);
      if (chunk.isPresent() && readable.test(member.id())) {
        Optional<Artifact> artifact =
            artifacts
                .apply(member.id())
                .filter(found -> found.digests().sha256().equals(member.content()));
        if (artifact.isPresent()) {
          return artifact.map(found ->
              new Resolution.Found(ServedForms.chunk(found, name, chunk.get(), member.pack())));
        }
      }
    }
    return Optional.empty();
  }

  private DerivedFolder load(Place place, @Nullable DerivedFolder old) {
    long loadedAt = System.nanoTime();
    int changes = rules.changes();
    DerivedName.Folder name = place.folder();
    DerivedRegister.Folder rows =
        register.folder(
            name.repository(),
            name.path(),
            place.store(),
            place.form().name(),
            rules.packed().map(DerivedForm::name).orElse(""),
            // Smaller ones have no chunks, and must not keep out those that have.
            rules.minLength(),
            MAX_MEMBERS);
    Map<String, DerivedFolder.Member> known = new HashMap<>();
    if (old != null) {
      old.members().forEach(member -> known.put(member.formKey(), member));
    }
    List<DerivedFolder.Member> members = new ArrayList<>();
    List<ArtifactId> named = new ArrayList<>();
    long memory = 0;
    for (DerivedRegister.Member row : rows.members()) {
      ArtifactId id = new ArtifactId(name.repository(), row.path());
      if (!rules.suits(id, row.length())) {
        continue;
      }
      // The rest is served when the newer ones are gone; half is for other folders.
      memory += row.form().blob().length();
      if (memory > MAX_INDEX_MEMORY / 2) {
        break;
      }
      Optional<DerivedFolder.Member> member = member(id, row, known, place.form());
      member.ifPresent(each -> {
        members.add(each);
        known.put(each.formKey(), each);
      });
      named.add(id);
    }
    List<ArtifactId> waiting = new ArrayList<>();
    for (DerivedRegister.Waiting row : rows.waiting()) {
      ArtifactId id = new ArtifactId(name.repository(), row.path());
      if (rules.suits(id, row.length())) {
        waiting.add(id);
      }
    }
    named.addAll(waiting);
    return new DerivedFolder(
        members, waiting, taken(name), DerivedFolder.stores(named), loadedAt, changes);
  }

  private DerivedFolder.Taken taken(DerivedName.Folder folder) {
    List<String> paths = register.likeChunks(folder.repository(), folder.path(), MAX_TAKEN + 1);
    return paths.size() > MAX_TAKEN
        ? new DerivedFolder.Taken(Set.of(), false)
        : new DerivedFolder.Taken(Set.copyOf(paths), true);
  }

  /** Indexes that are known already are not read again. */
  private Optional<DerivedFolder.Member> member(
      ArtifactId id,
      DerivedRegister.Member row,
      Map<String, DerivedFolder.Member> known,
      DerivedForm.Chunked form) {
    BlobRef ref = row.form().blob();
    DerivedFolder.Member same = known.get(ref.key());
    try {
      ChunkIndex index = same == null ? chunks.index(form, ref) : same.index();
      Optional<DerivedFolder.Pack> pack = same == null ? Optional.empty() : same.pack();
      if (pack.map(DerivedFolder.Pack::form).equals(row.second())) {
        return Optional.of(new DerivedFolder.Member(id, row.content(), ref.key(), index, pack));
      }
      return Optional.of(
          new DerivedFolder.Member(id, row.content(), ref.key(), index, pack(row, index)));
    } catch (StorageException | IllegalArgumentException e) {
      FAILURES.failed("Cannot read the chunk index in blob " + ref.key(), e);
      return Optional.empty();
    }
  }

  /** Without it, chunks are sent out of the artifact. */
  private Optional<DerivedFolder.Pack> pack(DerivedRegister.Member row, ChunkIndex index) {
    if (row.second().isEmpty()) {
      return Optional.empty();
    }
    Derived.Stored stored = row.second().get();
    try {
      ChunkPack pack = chunks.pack(rules.packed().orElseThrow(), stored.blob(), index);
      return Optional.of(new DerivedFolder.Pack(stored, pack));
    } catch (StorageException | IllegalArgumentException e) {
      FAILURES.failed("Cannot read the packed chunks in blob " + stored.blob().key(), e);
      return Optional.empty();
    }
  }

  /** A form as it is served. */
  private record KnownForm(Artifact artifact, Served served, int changes) {}
}
