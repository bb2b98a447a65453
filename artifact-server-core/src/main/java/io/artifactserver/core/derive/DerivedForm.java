package io.artifactserver.core.derive;

import io.artifactserver.core.catalog.Artifact;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * A form in which clients want to see a blob beside its own bytes. The form's bytes depend on the
 * blob's bytes alone, so equal content shares them. Immutable, thread-safe.
 */
public sealed interface DerivedForm {
  /** The form's name in the catalog and the API: 1 to 16 lower-case letters and digits. */
  String name();

  /**
   * Begins to compute the form.
   *
   * @param length of the blob, in bytes
   * @param sink takes the form's bytes; its exceptions pass through
   */
  Derivation begin(long length, Derivation.Sink sink);

  /** A form that has an address beside its artifact's. */
  sealed interface Addressed extends DerivedForm {
    /** The suffix of an artifact's path in the address of its form, such as {@code .zsync}. */
    String suffix();

    /** The media type that the form is served with. */
    String mediaType();
  }

  /**
   * A form that is served with a head that depends on the artifact, such as its name. The head
   * precedes the stored bytes.
   */
  non-sealed interface Headed extends Addressed {
    /** The head, read-only. No I/O. */
    ByteBuffer head(Artifact artifact);
  }

  /** A form that is an index of the blob's chunks, each of which has an address of its own. */
  non-sealed interface Chunked extends Addressed {
    /**
     * Reads an index.
     *
     * @param form the stored bytes of the form
     * @throws IllegalArgumentException if they are no index
     */
    ChunkIndex index(ByteBuffer form);

    /**
     * A chunk in the format that clients fetch, made of framing and the chunk's own bytes. No I/O.
     *
     * @param chunk where it is in the blob
     */
    FramedChunk frame(ChunkIndex.Chunk chunk);
  }

  /**
   * The chunks of an index, each compressed in the format that clients fetch. It is made where it
   * saves enough; a table at its end says where each chunk is.
   */
  non-sealed interface Packed extends DerivedForm {
    /**
     * Whether the blob is worth packing.
     *
     * @param sample pieces from all over the blob, backed by arrays
     */
    boolean suits(List<ByteBuffer> sample);

    /** Length of the table at the form's end, in bytes. */
    int tableLength(int chunks);

    /**
     * Reads the table.
     *
     * @throws IllegalArgumentException if it is none
     */
    ChunkPack pack(ByteBuffer table);
  }
}
