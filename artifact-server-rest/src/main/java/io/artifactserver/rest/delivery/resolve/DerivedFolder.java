package io.artifactserver.rest.delivery.resolve;

import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.derive.ChunkIndex;
import io.artifactserver.core.derive.ChunkPack;
import io.artifactserver.core.derive.Derived;
import io.artifactserver.core.derive.DerivedForm;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.rest.delivery.address.DerivedName;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The artifacts of a folder with their chunks, as they were at one moment. Immutable.
 *
 * @param members those whose chunks are known, newest first
 * @param waiting others whose chunks are still to come
 * @param taken addresses of chunks that artifacts have
 * @param stores the artifacts that stores are named after, by the store's name without its suffix
 * @param loadedAt when it was read from the catalog, by {@link System#nanoTime}
 * @param changes of the rules before that
 */
record DerivedFolder(
    List<Member> members,
    List<ArtifactId> waiting,
    Taken taken,
    Map<String, List<ArtifactId>> stores,
    long loadedAt,
    int changes) {
  /** The name of the store of a whole folder. */
  static final String DEFAULT_STORE = "default";

  DerivedFolder {
    members = List.copyOf(members);
    waiting = List.copyOf(waiting);
    stores = Map.copyOf(stores);
  }

  /**
   * The artifacts among which a chunk is looked for.
   *
   * @param store empty for the newest of the folder; else those that the store belongs to: however
   *     many others come, an artifact's own store has its chunks
   */
  record Place(DerivedName.Folder folder, DerivedForm.Chunked form, String store) {
    static List<Place> of(DerivedName.OfChunk chunk) {
      Place newest = new Place(chunk.folder(), chunk.form(), "");
      return chunk.store().equals(DEFAULT_STORE)
          ? List.of(newest)
          : List.of(newest, new Place(chunk.folder(), chunk.form(), chunk.store()));
    }
  }

  /**
   * An artifact.
   *
   * @param content the SHA-256 of its bytes
   * @param formKey of the blob that has its index
   * @param pack its compressed chunks, if they are kept
   */
  record Member(
      ArtifactId id, Digest content, String formKey, ChunkIndex index, Optional<Pack> pack) {
    /** Bytes of heap that it takes, about. */
    long memory() {
      return 1024 + index.memory() + pack.map(each -> each.chunks().memory()).orElse(0L);
    }
  }

  /**
   * The compressed chunks of an artifact.
   *
   * @param form where they are kept
   */
  record Pack(Derived.Stored form, ChunkPack chunks) {}

  /**
   * Paths of artifacts that look like chunks. Immutable.
   *
   * @param paths some of them, or all
   * @param isWhole whether there are no others
   */
  record Taken(Set<String> paths, boolean isWhole) {
    private static final long MEMORY_OF_ONE = 120;

    Taken {
      paths = Set.copyOf(paths);
    }

    /** Whether an artifact may have this path. */
    boolean mayInclude(String path) {
      return !isWhole || paths.contains(path);
    }

    /** Bytes of heap that it takes, about. */
    long memory() {
      return paths.stream().mapToLong(path -> MEMORY_OF_ONE + path.length()).sum();
    }
  }

  /** RAUC names a store like the file, with or without its suffix. */
  static Map<String, List<ArtifactId>> stores(List<ArtifactId> artifacts) {
    Map<String, List<ArtifactId>> stores = new HashMap<>();
    for (ArtifactId artifact : artifacts) {
      String file = artifact.fileName();
      stores.computeIfAbsent(file, _ -> new ArrayList<>()).add(artifact);
      int dot = file.lastIndexOf('.');
      if (dot > 0) {
        stores.computeIfAbsent(file.substring(0, dot), _ -> new ArrayList<>()).add(artifact);
      }
    }
    return stores;
  }

  /**
   * Whether a store of this name is one of the folder's.
   *
   * @param readable which artifacts the sender may know of
   */
  boolean hasStoreNamed(String name, Predicate<ArtifactId> readable) {
    return name.equals(DEFAULT_STORE)
        || stores.getOrDefault(name, List.of()).stream().anyMatch(readable);
  }

  /**
   * Whether chunks are still to come.
   *
   * @param readable which artifacts the sender may know of
   */
  boolean isWaiting(Predicate<ArtifactId> readable) {
    return waiting.stream().anyMatch(readable);
  }

  /** In bytes, for a bounded cache. */
  int memory() {
    long memory = 1024 + 512L * waiting.size() + taken.memory();
    for (Member member : members) {
      memory += member.memory();
    }
    return (int) Math.min(Integer.MAX_VALUE, memory);
  }
}
