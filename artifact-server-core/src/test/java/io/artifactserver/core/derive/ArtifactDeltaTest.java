package io.artifactserver.core.derive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.artifactserver.core.blob.Blob;
import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStores;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.ForwardingBlobStore;
import io.artifactserver.core.blob.InMemoryBlobStore;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.InMemoryArtifactCatalog;
import io.artifactserver.core.derive.ArtifactDelta.Delta;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.digest.Digests;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The cost of an update, by chunks of a byte each. */
class ArtifactDeltaTest {
  private static final Digest NO_DIGEST = Digest.of(DigestAlgorithm.SHA_256, new byte[32]);
  private static final String OLD = "abcabc";
  private static final String NEW = "abcxdx";

  private final InMemoryBlobStore memory = new InMemoryBlobStore();
  private final OpeningBlobStore store = new OpeningBlobStore();
  private final InMemoryArtifactCatalog catalog = new InMemoryArtifactCatalog();
  private final InMemoryDerivedRegister register = new InMemoryDerivedRegister(catalog, "edge");
  private final DerivationRules rules =
      new DerivationRules(List.of(new Letters(), new PackedLetters()), 1, 100, register);
  private final ArtifactDelta delta = new ArtifactDelta(rules, register, BlobStores.of(store));

  private Artifact older;
  private Artifact newer;

  @BeforeEach
  void upload() throws Exception {
    catalog.createRepository("edge", true, false);
    older = put("old", OLD);
    newer = put("new", NEW);
  }

  @Test
  void countsWhatBothHaveAndWhatIsFetched() throws Exception {
    keep(older, "letters", OLD);
    keep(newer, "letters", NEW);
    // Of "x" one is enough; the index is fetched too.
    assertThat(delta.between(older, newer)).contains(new Delta(6, 6, 3, 2, 6 + 2 * 2));
    assertThat(delta.between(older, older)).contains(new Delta(6, 6, 6, 0, 6));
  }

  @Test
  void countsCompressedChunks() throws Exception {
    keep(older, "letters", OLD);
    keep(newer, "letters", NEW);
    keep(newer, "packed", "packed chunks....\1\1\1\5\7\2");
    assertThat(delta.between(older, newer)).contains(new Delta(6, 6, 3, 2, 6 + 5 + 7));
  }

  @Test
  void isEmptyWhileOneOfTheTwoHasNoIndex() throws Exception {
    assertThat(delta.between(older, newer)).isEmpty();
    keep(newer, "letters", NEW);
    assertThat(delta.between(older, newer)).isEmpty();
  }

  /** Both indexes, and the compressed chunks, are opened after all of them were looked up. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void isEmptyIfAFormIsDroppedMeanwhile(int dropped) throws Exception {
    List<BlobRef> forms =
        List.of(
            keep(older, "letters", OLD),
            keep(newer, "letters", NEW),
            keep(newer, "packed", "packed chunks....\1\1\1\5\7\2"));
    store.opening =
        ref -> {
          if (ref.equals(forms.get(dropped))) {
            register.forget((dropped == 0 ? older : newer).blob());
            memory.delete(ref);
          }
        };
    assertThat(delta.between(older, newer)).isEmpty();
    assertThat(store.opened).endsWith(forms.get(dropped));
  }

  @Test
  void failsIfAnIndexCannotBeRead() throws Exception {
    BlobRef plain = store(OLD);
    // There are no keys here.
    BlobRef encrypted = new BlobRef(plain.key(), plain.length(), true);
    register.add(older.blob(), stored("letters", encrypted));
    keep(newer, "letters", NEW);
    assertThatExceptionOfType(StorageException.class).isThrownBy(() -> delta.between(older, newer));
  }

  private Artifact put(String path, String content) throws StorageException {
    ArtifactId id = new ArtifactId("edge", path);
    Digest digest =
        Digest.of(
            DigestAlgorithm.SHA_256,
            DigestAlgorithm.SHA_256
                .newMessageDigest()
                .digest(content.getBytes(StandardCharsets.US_ASCII)));
    catalog.add(
        id, "text/plain", store(content), new Digests(Map.of(DigestAlgorithm.SHA_256, digest)));
    return catalog.find(id).orElseThrow();
  }

  private BlobRef keep(Artifact artifact, String form, String bytes) throws StorageException {
    BlobRef blob = store(bytes);
    assertThat(register.add(artifact.blob(), stored(form, blob))).isTrue();
    return blob;
  }

  private static Derived.Stored stored(String form, BlobRef blob) {
    return new Derived.Stored(form, blob, NO_DIGEST, Instant.EPOCH);
  }

  private BlobRef store(String bytes) throws StorageException {
    try (BlobUpload upload = memory.begin()) {
      upload.write(ByteBuffer.wrap(bytes.getBytes(StandardCharsets.US_ASCII)));
      return upload.commit();
    }
  }

  /** Something happens whenever a blob is asked for. */
  private final class OpeningBlobStore extends ForwardingBlobStore {
    private final List<BlobRef> opened = new ArrayList<>();
    private Consumer<BlobRef> opening = _ -> {};

    OpeningBlobStore() {
      super(memory);
    }

    @Override
    public Blob blob(BlobRef ref) {
      opened.add(ref);
      opening.accept(ref);
      return super.blob(ref);
    }
  }

  /** An index that is the blob itself, each letter of it a chunk. */
  private record Letters() implements DerivedForm.Chunked {
    private static final ByteBuffer FRAMING = ByteBuffer.allocate(1).asReadOnlyBuffer();

    @Override
    public String name() {
      return "letters";
    }

    @Override
    public String suffix() {
      return ".letters";
    }

    @Override
    public String mediaType() {
      return "text/plain";
    }

    @Override
    public ChunkIndex index(ByteBuffer form) {
      long[] ends = new long[form.remaining()];
      byte[] ids = new byte[ends.length * ChunkIndex.ID_LENGTH];
      for (int i = 0; i < ends.length; i++) {
        ends[i] = i + 1L;
        ids[i * ChunkIndex.ID_LENGTH] = form.get();
      }
      return ChunkIndex.of(ends, ids);
    }

    @Override
    public FramedChunk frame(ChunkIndex.Chunk chunk) {
      return new FramedChunk(List.of(new FramedChunk.Piece(FRAMING, chunk.range())));
    }

    @Override
    public Derivation begin(long length, Derivation.Sink sink) {
      throw new UnsupportedOperationException();
    }
  }

  /** A byte for each length. */
  private record PackedLetters() implements DerivedForm.Packed {
    @Override
    public String name() {
      return "packed";
    }

    @Override
    public boolean suits(List<ByteBuffer> sample) {
      throw new UnsupportedOperationException();
    }

    @Override
    public int tableLength(int chunks) {
      return chunks;
    }

    @Override
    public ChunkPack pack(ByteBuffer table) {
      int[] lengths = new int[table.remaining()];
      for (int i = 0; i < lengths.length; i++) {
        lengths[i] = table.get();
      }
      return ChunkPack.of(lengths);
    }

    @Override
    public Derivation begin(long length, Derivation.Sink sink) {
      throw new UnsupportedOperationException();
    }
  }
}
