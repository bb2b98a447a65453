package io.artifactserver.rest.delivery.resolve;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.derive.ChunkIndex;
import io.artifactserver.core.derive.Derived;
import io.artifactserver.core.derive.DerivedForm;
import io.artifactserver.core.derive.FramedChunk;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.digest.Digests;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.rest.delivery.address.DerivedName;
import io.artifactserver.rest.http.EntityTag;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Makes what is served of an artifact beside its own bytes. Pure functions. */
final class ServedForms {
  private static final ByteBuffer NO_FRAMING = ByteBuffer.allocate(0).asReadOnlyBuffer();
  private static final int PACK_TAG_LENGTH = 16;
  private static final String CHUNK_TYPE = "application/octet-stream";

  private ServedForms() {}

  /**
   * A form under its address.
   *
   * @param stored where the form's bytes are
   * @param address of the form
   */
  static Served form(
      Artifact artifact, DerivedForm.Addressed form, Derived.Stored stored, ArtifactId address) {
    Digests digests = new Digests(Map.of(DigestAlgorithm.SHA_256, stored.sha256()));
    ByteRange whole = ByteRange.whole(stored.blob().length());
    return switch (form) {
      case DerivedForm.Chunked _ ->
          Served.form(
              artifact,
              new Served.Bytes.Stored(stored.blob()),
              whole.length(),
              digests,
              EntityTag.of(stored.sha256()),
              form.mediaType(),
              address.fileName());
      case DerivedForm.Headed headed -> {
        ByteBuffer head = headed.head(artifact);
        FramedChunk framed = new FramedChunk(List.of(new FramedChunk.Piece(head, whole)));
        yield Served.form(
            artifact,
            new Served.Bytes.Framed(stored.blob(), framed),
            framed.length(),
            digests,
            tag(head, stored),
            form.mediaType(),
            address.fileName());
      }
    };
  }

  /**
   * A chunk under its address; its id is a digest, so it makes a validator.
   *
   * @param pack where it is compressed, if it is
   */
  static Served chunk(
      Artifact artifact,
      DerivedName.OfChunk name,
      ChunkIndex.Chunk chunk,
      Optional<DerivedFolder.Pack> pack) {
    if (name.isPlain()) {
      return chunk(artifact, artifact.blob(), whole(chunk.range()), name.hex(), name.hex());
    }
    String fileName = name.hex() + DerivedName.CHUNK_SUFFIX;
    if (pack.isEmpty()) {
      FramedChunk framed = name.form().frame(chunk);
      return chunk(artifact, artifact.blob(), framed, name.hex() + ".raw", fileName);
    }
    // Another library compresses to other bytes, so the pack's digest is part of the tag.
    Derived.Stored form = pack.get().form();
    String tag = name.hex() + '.' + form.sha256().hex().substring(0, PACK_TAG_LENGTH);
    return chunk(
        artifact, form.blob(), whole(pack.get().chunks().chunk(chunk.number())), tag, fileName);
  }

  private static FramedChunk whole(ByteRange range) {
    return new FramedChunk(List.of(new FramedChunk.Piece(NO_FRAMING, range)));
  }

  private static Served chunk(
      Artifact artifact, BlobRef blob, FramedChunk framed, String tag, String fileName) {
    return Served.chunk(
        artifact,
        new Served.Bytes.Framed(blob, framed),
        !blob.equals(artifact.blob()),
        new EntityTag(false, tag),
        CHUNK_TYPE,
        fileName);
  }

  /** The head is not in the form's digest. */
  private static EntityTag tag(ByteBuffer head, Derived.Stored stored) {
    MessageDigest digest = DigestAlgorithm.SHA_256.newMessageDigest();
    digest.update(head.duplicate());
    digest.update(stored.sha256().bytes());
    return new EntityTag(false, HexFormat.of().formatHex(digest.digest()));
  }
}
