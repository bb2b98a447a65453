package io.artifactserver.rest.download;

import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.derive.ChunkIndex;
import io.artifactserver.core.derive.ChunkPack;
import io.artifactserver.core.derive.Derived;
import io.artifactserver.core.digest.Digest;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The artifacts of a folder with their chunks, as they were at one moment. Immutable.
 *
 * @param members those whose chunks are known, newest first
 * @param isWaiting whether chunks of others are still to come
 * @param hasStore whether artifacts may lie at the addresses of chunks
 * @param stores names of stores, without their suffix, beside casync's default
 * @param loadedAt when it was read from the catalog, by {@link System#nanoTime}
 * @param changes of the rules before that
 */
record DerivedFolder(
    List<Member> members,
    boolean isWaiting,
    boolean hasStore,
    Set<String> stores,
    long loadedAt,
    int changes) {
  private static final String DEFAULT_STORE = "default";

  DerivedFolder {
    members = List.copyOf(members);
    stores = Set.copyOf(stores);
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
      return 512 + index.memory() + pack.map(each -> each.chunks().memory()).orElse(0L);
    }
  }

  /**
   * The compressed chunks of an artifact.
   *
   * @param form where they are kept
   */
  record Pack(Derived.Stored form, ChunkPack chunks) {}

  /** Whether a store of this name is one of the folder's. */
  boolean hasStoreNamed(String name) {
    return name.equals(DEFAULT_STORE) || stores.contains(name);
  }

  /** In bytes, for a bounded cache. */
  int memory() {
    long memory = 1024;
    for (Member member : members) {
      memory += member.memory();
    }
    return (int) Math.min(Integer.MAX_VALUE, memory);
  }
}
