package io.artifactserver.core.derive;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStores;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.catalog.Artifact;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/** Use case: say what an update from one artifact to another costs. Immutable, thread-safe. */
public record ArtifactDelta(DerivationRules rules, DerivedRegister register, BlobStores stores) {
  /**
   * Compares the chunks of two artifacts. Asks the catalog and the store.
   *
   * @return empty if the chunks of one of them are not known, or not yet
   * @throws StorageException if their indexes cannot be read
   */
  public Optional<Delta> between(Artifact from, Artifact to) throws StorageException {
    try {
      return compare(from, to);
    } catch (StorageException.BlobNotFound e) {
      // Dropped since it was looked up.
      return Optional.empty();
    }
  }

  private Optional<Delta> compare(Artifact from, Artifact to) throws StorageException {
    Optional<DerivedForm.Chunked> form = rules.chunked();
    Optional<BlobRef> oldForm = form.flatMap(chunked -> stored(from, chunked));
    Optional<BlobRef> newForm = form.flatMap(chunked -> stored(to, chunked));
    if (form.isEmpty() || oldForm.isEmpty() || newForm.isEmpty()) {
      return Optional.empty();
    }
    StoredChunks chunks = new StoredChunks(stores);
    ChunkIndex known = chunks.index(form.get(), oldForm.get());
    ChunkIndex wanted = chunks.index(form.get(), newForm.get());
    Optional<DerivedForm.Packed> packed = rules.packed();
    Optional<BlobRef> packForm = packed.flatMap(each -> stored(to, each));
    Optional<ChunkPack> pack =
        packForm.isPresent()
            ? Optional.of(chunks.pack(packed.orElseThrow(), packForm.get(), wanted))
            : Optional.empty();
    Set<ByteBuffer> fetched = new HashSet<>();
    long shared = 0;
    long transfer = newForm.get().length();
    for (int i = 0; i < wanted.count(); i++) {
      ChunkIndex.Chunk chunk = wanted.chunk(i);
      if (known.has(chunk)) {
        shared += chunk.range().length();
      } else if (fetched.add(chunk.id())) {
        transfer +=
            pack.isPresent() ? pack.get().chunk(i).length() : form.get().frame(chunk).length();
      }
    }
    return Optional.of(
        new Delta(wanted.length(), wanted.count(), shared, fetched.size(), transfer));
  }

  private Optional<BlobRef> stored(Artifact artifact, DerivedForm form) {
    return register.of(artifact.blob()).stream()
        .filter(Derived.Stored.class::isInstance)
        .filter(each -> each.form().equals(form.name()))
        .map(each -> ((Derived.Stored) each).blob())
        .findFirst();
  }

  /**
   * The cost of an update. Immutable.
   *
   * @param length of the new artifact, in bytes
   * @param chunks of the new artifact
   * @param sharedBytes of them that are in chunks of the old one
   * @param fetchedChunks distinct chunks that the old one lacks
   * @param transferBytes of those as they are sent, and of the index
   */
  public record Delta(
      long length, int chunks, long sharedBytes, int fetchedChunks, long transferBytes) {}
}
