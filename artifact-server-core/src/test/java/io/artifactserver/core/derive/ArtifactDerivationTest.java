package io.artifactserver.core.derive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStore.StoredBlob;
import io.artifactserver.core.blob.BlobStores;
import io.artifactserver.core.blob.InMemoryBlobStore;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.InMemoryArtifactCatalog;
import io.artifactserver.core.derive.ArtifactDerivation.Run;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.digest.Digests;
import io.artifactserver.core.ingest.ArtifactIngest;
import io.artifactserver.core.ingest.FaultyBlobStore;
import io.artifactserver.core.ingest.IngestRequest;
import io.artifactserver.core.ingest.Quota;
import io.artifactserver.core.limit.InMemoryQuotaStore;
import io.artifactserver.core.limit.QuotaLedger;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.core.release.InMemoryChannelStore;
import java.io.ByteArrayInputStream;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@link ArtifactDerivation}, with failures where a kill may be. */
class ArtifactDerivationTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final int MIN = 1_000;
  private static final int MAX = 2_000_000;

  private final InMemoryBlobStore blobs = new InMemoryBlobStore(() -> NOW);
  private final FaultyBlobStore store = new FaultyBlobStore(blobs);
  private final BlobStores stores = BlobStores.of(store);
  private final InMemoryArtifactCatalog catalog = new InMemoryArtifactCatalog(() -> NOW);
  private final InMemoryDerivedRegister register = new InMemoryDerivedRegister(catalog, "edge");
  private final ArtifactIngest ingest =
      new ArtifactIngest(
          catalog,
          catalog,
          stores,
          new Quota(MAX * 2, MAX * 10L, 0),
          new QuotaLedger(new InMemoryQuotaStore()),
          Runnable::run,
          () -> {},
          InMemoryChannelStore.book(catalog));

  @BeforeEach
  void createRepository() {
    catalog.createRepository("edge", true, false);
  }

  @Test
  void derivesEveryFormOfWhatSuits() throws Exception {
    BlobRef one = put("one", content(MIN, 1));
    BlobRef large = put("large", content(MAX, 2));
    BlobRef same = put("same", content(MAX, 2));
    BlobRef tooSmall = put("small", content(MIN - 1, 3));
    BlobRef tooLarge = put("too-large", content(MAX + 1, 4));
    assertThat(same).isEqualTo(large);
    assertThat(derivation("a", "b").run()).isEqualTo(new Run(2, 0, 0));
    requireForms(one, content(MIN, 1), "a", "b");
    requireForms(large, content(MAX, 2), "a", "b");
    assertThat(register.of(tooSmall)).isEmpty();
    assertThat(register.of(tooLarge)).isEmpty();
    assertThat(stored()).hasSize(4 + 2 * 2);
    assertThat(derivation("a", "b").run()).isEqualTo(new Run(0, 0, 0));
  }

  /** The forms that only a newer release can make are added to those that are there. */
  @Test
  void derivesTheFormThatIsMissing() throws Exception {
    BlobRef one = put("one", content(MIN, 1));
    derivation("a").run();
    Derived before = register.of(one).getFirst();
    assertThat(derivation("a", "b").run()).isEqualTo(new Run(1, 0, 0));
    assertThat(register.of(one)).hasSize(2).contains(before);
  }

  @ParameterizedTest
  @ValueSource(strings = {"1f8b08", "fd377a585a00", "28b52ffd", "425a68", "04224d18", "4c5a4950"})
  void skipsCompressedStreams(String magic) throws Exception {
    byte[] content = content(MIN, 1);
    byte[] head = HexFormat.of().parseHex(magic);
    System.arraycopy(head, 0, content, 0, head.length);
    BlobRef blob = put("one.gz", content);
    assertThat(derivation("a", "b").run()).isEqualTo(new Run(0, 1, 0));
    assertThat(register.of(blob))
        .containsExactlyInAnyOrder(new Derived.Skipped("a"), new Derived.Skipped("b"));
    assertThat(derivation("a", "b").run()).isEqualTo(new Run(0, 0, 0));
    assertThat(stored()).hasSize(1);
  }

  /** Packed chunks must be worth it; the other forms are made all the same. */
  @Test
  void packsWhatASampleSays() throws Exception {
    byte[] half = content(MAX, 1);
    Arrays.fill(half, 0, MAX / 2, (byte) 0);
    BlobRef good = put("half", half);
    BlobRef dense = put("dense", content(MAX, 2));
    List<DerivedForm> forms = List.of(new ComplementForm("a"), new PackedForm());
    assertThat(derivation(forms).run()).isEqualTo(new Run(2, 0, 0));
    assertThat(register.of(good)).hasSize(2).allMatch(Derived.Stored.class::isInstance);
    assertThat(register.of(dense)).hasSize(2).contains(new Derived.Skipped("packed"));
    assertThat(derivation(forms).run()).isEqualTo(new Run(0, 0, 0));
  }

  @Test
  void readsTheBlobOnlyIfThereIsAFormToMake() throws Exception {
    BlobRef dense = put("dense", content(MAX, 2));
    assertThat(derivation(List.of(new PackedForm())).run()).isEqualTo(new Run(0, 1, 0));
    assertThat(register.of(dense)).containsExactly(new Derived.Skipped("packed"));
    assertThat(stored()).containsExactly(dense);
  }

  @Test
  void derivesWhatTheRepositoryWants() throws Exception {
    BlobRef wanted = put("fw/one.img", content(MAX, 1));
    BlobRef unwanted = put("docs/one.pdf", content(MAX, 2));
    assertThat(register.putPaths("edge", new FormPaths(List.of("fw/*.img")))).isTrue();
    assertThat(derivation("a").run()).isEqualTo(new Run(1, 0, 0));
    requireForms(wanted, content(MAX, 1), "a");
    assertThat(register.of(unwanted)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 600_000, MAX})
  void goesOnAfterFailingWrite(long position) throws Exception {
    BlobRef blob = put("one", content(MAX, 1));
    store.failWriteAt(position, unavailable());
    assertThatExceptionOfType(StorageException.StorageUnavailable.class)
        .isThrownBy(() -> derivation("a", "b").run());
    assertThat(register.of(blob)).isEmpty();
    assertThat(stored()).hasSize(1);
    store.recover();
    assertThat(derivation("a", "b").run()).isEqualTo(new Run(1, 0, 0));
    requireForms(blob, content(MAX, 1), "a", "b");
  }

  @Test
  void goesOnAfterFailingCommit() throws Exception {
    BlobRef blob = put("one", content(MAX, 1));
    store.failCommit(unavailable());
    assertThatExceptionOfType(StorageException.StorageUnavailable.class)
        .isThrownBy(() -> derivation("a", "b").run());
    assertThat(stored()).hasSize(1);
    store.recover();
    assertThat(derivation("a", "b").run()).isEqualTo(new Run(1, 0, 0));
    requireForms(blob, content(MAX, 1), "a", "b");
  }

  @Test
  void keepsNothingOfWhatIsDeletedMeanwhile() throws Exception {
    BlobRef blob = put("one", content(MAX, 1));
    DerivedForm deleting = new DeletingForm(() -> catalog.remove(new ArtifactId("edge", "one")));
    assertThat(derivation(List.of(deleting)).run()).isEqualTo(new Run(1, 0, 0));
    assertThat(register.of(blob)).isEmpty();
    assertThat(stored()).containsExactly(blob);
  }

  @Test
  void marksDamagedBlobAndGoesOn() throws Exception {
    byte[] content = content(MAX, 1);
    BlobRef damaged = addWithDigestOf(content(MAX, 7), content);
    BlobRef good = put("good", content(MIN, 2));
    ArtifactDerivation derivation = derivation("a");
    assertThat(derivation.run()).isEqualTo(new Run(1, 0, 1));
    assertThat(catalog.suspects(List.of(damaged.key(), good.key()))).containsExactly(damaged.key());
    assertThat(register.of(damaged)).isEmpty();
    requireForms(good, content(MIN, 2), "a");
    assertThat(stored()).hasSize(3);
    assertThat(derivation.run()).isEqualTo(new Run(0, 0, 1));
  }

  @Test
  void derivesABlobThatIsSuspectNoLonger() throws Exception {
    byte[] content = content(MAX, 1);
    BlobRef blob = put("one", content);
    blobs.replace(blob.key(), content(MAX, 7));
    ArtifactDerivation derivation = derivation("a");
    assertThat(derivation.run()).isEqualTo(new Run(0, 0, 1));
    blobs.replace(blob.key(), content);
    assertThat(derivation.run()).isEqualTo(new Run(0, 0, 1));
    catalog.clear(blob);
    assertThat(derivation.run()).isEqualTo(new Run(1, 0, 0));
    requireForms(blob, content, "a");
  }

  @Test
  void rebuildsOnCommand() throws Exception {
    BlobRef blob = put("one", content(MAX, 1));
    ArtifactDerivation derivation = derivation("a");
    derivation.run();
    Set<BlobRef> before = stored();
    derivation.rebuild(blob);
    assertThat(stored()).containsExactly(blob);
    assertThat(derivation.run()).isEqualTo(new Run(1, 0, 0));
    requireForms(blob, content(MAX, 1), "a");
    assertThat(stored()).hasSameSizeAs(before).isNotEqualTo(before);
  }

  private ArtifactDerivation derivation(String... forms) {
    return derivation(Arrays.stream(forms).<DerivedForm>map(ComplementForm::new).toList());
  }

  private ArtifactDerivation derivation(List<DerivedForm> forms) {
    return new ArtifactDerivation(
        new DerivationRules(forms, MIN, MAX, register), register, catalog, stores, 1, () -> NOW);
  }

  private void requireForms(BlobRef blob, byte[] content, String... forms) throws Exception {
    byte[] expected = new byte[content.length + 1];
    for (int i = 0; i < content.length; i++) {
      expected[i] = (byte) ~content[i];
    }
    expected[content.length] = (byte) content.length;
    assertThat(register.of(blob).stream().map(Derived::form)).containsExactlyInAnyOrder(forms);
    for (Derived each : register.of(blob)) {
      Derived.Stored form = (Derived.Stored) each;
      assertThat(bytes(form.blob())).isEqualTo(expected);
      assertThat(form.sha256()).isEqualTo(sha256(expected));
    }
  }

  private BlobRef put(String path, byte[] content) throws Exception {
    IngestRequest request =
        new IngestRequest(new ArtifactId("edge", path), "text/plain", content.length, List.of());
    return ingest.ingest(request, new ByteArrayInputStream(content)).artifact().blob();
  }

  private BlobRef addWithDigestOf(byte[] other, byte[] content) throws Exception {
    BlobRef blob;
    try (var upload = store.begin()) {
      upload.write(ByteBuffer.wrap(content));
      blob = upload.commit();
    }
    Digests digests = new Digests(Map.of(DigestAlgorithm.SHA_256, sha256(other)));
    catalog.add(new ArtifactId("edge", "damaged"), "text/plain", blob, digests);
    return blob;
  }

  private byte[] bytes(BlobRef blob) throws StorageException {
    ByteBuffer bytes = ByteBuffer.allocate((int) blob.length());
    try (RangeReader reader = stores.blob(blob).open(ByteRange.whole(blob.length()))) {
      while (reader.read(bytes) >= 0) {
        // Until it ends.
      }
    }
    return bytes.array();
  }

  private Set<BlobRef> stored() throws StorageException {
    try (Stream<StoredBlob> all = blobs.list()) {
      return all.map(StoredBlob::ref).collect(Collectors.toSet());
    }
  }

  private static byte[] content(int length, long seed) {
    byte[] content = new byte[length];
    new Random(seed).nextBytes(content);
    return content;
  }

  private static Digest sha256(byte[] bytes) {
    return Digest.of(
        DigestAlgorithm.SHA_256, DigestAlgorithm.SHA_256.newMessageDigest().digest(bytes));
  }

  private static StorageException unavailable() {
    return new StorageException.StorageUnavailable("memory", "told to fail", null);
  }

  /** Deletes the artifact as soon as its last bytes are there. */
  private record DeletingForm(Runnable deletion) implements DerivedForm.Headed {
    @Override
    public String name() {
      return "deleting";
    }

    @Override
    public String suffix() {
      return ".deleting";
    }

    @Override
    public String mediaType() {
      return "text/plain";
    }

    @Override
    public ByteBuffer head(Artifact artifact) {
      return ByteBuffer.allocate(0);
    }

    @Override
    public Derivation begin(long length, Derivation.Sink sink) {
      return new Derivation() {
        @Override
        public void update(ByteBuffer bytes) throws StorageException {
          sink.write(bytes);
        }

        @Override
        public void finish() {
          deletion.run();
        }
      };
    }
  }

  /** Worth it if a third of the sample is zeros. */
  private record PackedForm() implements DerivedForm.Packed {
    @Override
    public String name() {
      return "packed";
    }

    @Override
    public boolean suits(List<ByteBuffer> sample) {
      long zeros = 0;
      long all = 0;
      for (ByteBuffer piece : sample) {
        all += piece.remaining();
        for (int i = piece.position(); i < piece.limit(); i++) {
          zeros += piece.get(i) == 0 ? 1 : 0;
        }
      }
      return 3 * zeros > all;
    }

    @Override
    public int tableLength(int chunks) {
      throw new UnsupportedOperationException();
    }

    @Override
    public ChunkPack pack(ByteBuffer table) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Derivation begin(long length, Derivation.Sink sink) {
      return new ComplementForm("packed").begin(length, sink);
    }
  }
}
