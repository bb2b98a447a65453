package io.artifactserver.rest.delivery.address;

import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.derive.ChunkIndex;
import io.artifactserver.core.derive.DerivationRules;
import io.artifactserver.core.derive.DerivedForm;
import io.artifactserver.core.digest.Hex;
import java.util.HexFormat;
import java.util.Optional;

/** A form of an artifact or a chunk, named by a path that no artifact has. Immutable. */
public sealed interface DerivedName {
  /**
   * {@code {path}.zsync}, {@code {path}.caibx} and their like.
   *
   * @param artifact whose form it is
   */
  record OfForm(ArtifactId artifact, DerivedForm.Addressed form) implements DerivedName {}

  /**
   * {@code {folder}/{store}.castr/xxxx/{id}.cacnk}, where {@code xxxx} begins the id; without the
   * suffix the plain bytes.
   *
   * @param folder where its artifact lies
   * @param store without the suffix; casync calls it {@code default}
   * @param hex the chunk's id in lower-case digits
   * @param isPlain whether its bytes are to be sent as they are
   */
  record OfChunk(Folder folder, DerivedForm.Chunked form, String store, String hex, boolean isPlain)
      implements DerivedName {
    /** The chunk's id in bytes. */
    public byte[] id() {
      return HexFormat.of().parseHex(hex);
    }
  }

  /**
   * A folder of artifacts.
   *
   * @param repository by name
   * @param path empty, or ends in a slash
   */
  record Folder(String repository, String path) {}

  /** casync's suffix of a store. */
  String STORE_SUFFIX = ".castr";

  /** casync's suffix of a compressed chunk. */
  String CHUNK_SUFFIX = ".cacnk";

  /** Digits of a chunk's id. */
  int HEX_LENGTH = 2 * ChunkIndex.ID_LENGTH;

  /** Digits of a chunk's id that name its folder in the store. */
  int PREFIX_LENGTH = 4;

  /** Reads a path; no I/O. */
  static Optional<DerivedName> of(ArtifactId id, DerivationRules rules) {
    String path = id.path();
    for (DerivedForm.Addressed form : rules.addressed()) {
      int end = path.length() - form.suffix().length();
      if (end > 0 && path.charAt(end - 1) != '/' && path.endsWith(form.suffix())) {
        return Optional.of(
            new OfForm(new ArtifactId(id.repository(), path.substring(0, end)), form));
      }
    }
    return rules.chunked().flatMap(form -> chunk(id.repository(), path, form));
  }

  /** The artifact that the store of a chunk's path is named after, whether or not there is one. */
  static Optional<ArtifactId> ownerOfStore(ArtifactId chunk) {
    String path = chunk.path();
    return endOfChunk(path)
        .map(end -> path.substring(0, path.length() - end.length()))
        .filter(store -> store.endsWith(STORE_SUFFIX + '/'))
        .map(store -> store.substring(0, store.length() - STORE_SUFFIX.length() - 1))
        .filter(artifact -> !artifact.isEmpty() && !artifact.endsWith("/"))
        .map(artifact -> new ArtifactId(chunk.repository(), artifact));
  }

  /** The end of a chunk's path, in which it differs from other chunks of its store. */
  private static Optional<String> endOfChunk(String path) {
    int suffix = path.endsWith(CHUNK_SUFFIX) ? CHUNK_SUFFIX.length() : 0;
    int begin = path.length() - suffix - HEX_LENGTH - 1 - PREFIX_LENGTH;
    return begin > 0 && isEndOfChunk(path.substring(begin))
        ? Optional.of(path.substring(begin))
        : Optional.empty();
  }

  /** Whether a path that ends in this may be a chunk's. */
  private static boolean isEndOfChunk(String end) {
    int hex = PREFIX_LENGTH + 1;
    return end.length() >= hex + HEX_LENGTH
        && end.charAt(PREFIX_LENGTH) == '/'
        && end.regionMatches(hex, end, 0, PREFIX_LENGTH)
        && Hex.isLowerCase(end.substring(hex, hex + HEX_LENGTH))
        && (end.length() == hex + HEX_LENGTH
            || end.substring(hex + HEX_LENGTH).equals(CHUNK_SUFFIX));
  }

  private static Optional<DerivedName> chunk(
      String repository, String path, DerivedForm.Chunked form) {
    String end = endOfChunk(path).orElse("");
    int storeEnd = path.length() - end.length() - 1 - STORE_SUFFIX.length();
    int store = path.lastIndexOf('/', storeEnd - 1) + 1;
    if (end.isEmpty() || store >= storeEnd || !path.startsWith(STORE_SUFFIX + '/', storeEnd)) {
      return Optional.empty();
    }
    int hex = PREFIX_LENGTH + 1;
    return Optional.of(
        new OfChunk(
            new Folder(repository, path.substring(0, store)),
            form,
            path.substring(store, storeEnd),
            end.substring(hex, hex + HEX_LENGTH),
            end.length() == hex + HEX_LENGTH));
  }
}
