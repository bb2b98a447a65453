package io.artifactserver.rest.download;

import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.derive.ChunkIndex;
import io.artifactserver.core.derive.Derived;
import io.artifactserver.core.derive.DerivedForm;
import io.artifactserver.core.derive.FramedChunk;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.digest.Digests;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.rest.http.EntityTag;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/** Makes what is served of an artifact beside its own bytes. Pure functions. */
final class ServedForms {
  private static final ByteBuffer NO_FRAMING = ByteBuffer.allocate(0).asReadOnlyBuffer();
  private static final String CHUNK_TYPE = "application/octet-stream";

  private ServedForms() {}

  /**
   * A form under its address.
   *
   * @param stored where the form's bytes are
   * @param address of the form
   */
  static Served form(
      Artifact artifact, DerivedForm form, Derived.Stored stored, ArtifactId address) {
    Digests digests = new Digests(Map.of(DigestAlgorithm.SHA_256, stored.sha256()));
    ByteRange whole = ByteRange.whole(stored.blob().length());
    return switch (form) {
      case DerivedForm.Chunked _ ->
          Served.derived(
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
        yield Served.derived(
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

  /** A chunk under its address; its id is a digest, so it makes a validator. */
  static Served chunk(Artifact artifact, DerivedName.OfChunk name, ChunkIndex.Chunk chunk) {
    FramedChunk framed =
        name.isPlain()
            ? new FramedChunk(List.of(new FramedChunk.Piece(NO_FRAMING, chunk.range())))
            : name.form().frame(chunk);
    return Served.derived(
        artifact,
        new Served.Bytes.Framed(artifact.blob(), framed),
        framed.length(),
        artifact.digests(),
        new EntityTag(false, name.isPlain() ? name.hex() : name.hex() + ".raw"),
        CHUNK_TYPE,
        name.isPlain() ? name.hex() : name.hex() + DerivedName.CHUNK_SUFFIX);
  }

  /** The head is not in the form's digest. */
  private static EntityTag tag(ByteBuffer head, Derived.Stored stored) {
    MessageDigest digest = DigestAlgorithm.SHA_256.newMessageDigest();
    digest.update(head.duplicate());
    digest.update(stored.sha256().bytes());
    return new EntityTag(false, HexFormat.of().formatHex(digest.digest()));
  }
}
