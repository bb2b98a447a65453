package io.artifactserver.storage.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.BlobStore.StoredBlob;
import io.artifactserver.core.blob.BlobStores;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.DataKeyStore;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.BlobRegister;
import io.artifactserver.core.derive.ArtifactDerivation;
import io.artifactserver.core.derive.DerivationRules;
import io.artifactserver.core.derive.Derived;
import io.artifactserver.core.derive.DerivedForm;
import io.artifactserver.core.derive.DerivedRegister;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.storage.delta.CasyncIndexForm;
import io.artifactserver.storage.delta.CasyncPackForm;
import io.artifactserver.storage.delta.ZsyncForm;
import io.artifactserver.storage.encrypted.EncryptedBlobStore;
import io.artifactserver.storage.encrypted.KeyRing;
import io.artifactserver.storage.local.file.FileBlobStore;
import io.artifactserver.storage.local.mapped.MappedFiles;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** New files and a database, and the forms that are made of what is uploaded. Used by one test. */
final class DerivingInstallation implements AutoCloseable {
  static final int LENGTH = 700_000;
  static final int FORMS = 3;

  private static final List<DerivedForm> ALL =
      List.of(new CasyncIndexForm(), new ZsyncForm(), new CasyncPackForm());

  private static final AtomicInteger UPLOADS = new AtomicInteger();

  final ArtifactCatalog catalog;
  final BlobRegister blobs;
  final DerivedRegister register;
  final DataKeyStore dataKeys;
  final FileBlobStore files;
  private final MappedFiles mappedFiles = new MappedFiles(10, Duration.ofMinutes(1));
  private final KeyRing ring = KeyRing.ephemeral();

  DerivingInstallation(CatalogApplication application, Path folder) throws StorageException {
    catalog = application.bean(ArtifactCatalog.class);
    blobs = application.bean(BlobRegister.class);
    register = application.bean(DerivedRegister.class);
    dataKeys = application.bean(DataKeyStore.class);
    files = FileBlobStore.open(folder, mappedFiles);
  }

  @Override
  public void close() {
    mappedFiles.close();
  }

  /** On the real files and the real database. */
  BlobStores stores() {
    return stores(files, dataKeys);
  }

  /** On the real files and the real database. */
  ArtifactDerivation derivation() {
    return derivation(stores(), register);
  }

  ArtifactDerivation derivation(BlobStores stores, DerivedRegister derived) {
    return new ArtifactDerivation(
        new DerivationRules(ALL, 1, 2 * LENGTH, register),
        derived,
        blobs,
        stores,
        1,
        InstantSource.system());
  }

  BlobStores stores(BlobStore plain, DataKeyStore keys) {
    return new BlobStores(plain, new EncryptedBlobStore(plain, keys, ring, 64 * 1024));
  }

  /** Half of each byte is random, so the chunks are worth compressing. */
  static String text(int seed) {
    return new Random(seed)
        .ints(LENGTH, 'a', 'q')
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }

  /** A new artifact, in {@code edge} or {@code vault}. */
  Artifact upload(BlobStore store) throws StorageException {
    int number = UPLOADS.incrementAndGet();
    String text = text(number);
    BlobRef blob;
    try (BlobUpload upload = store.begin()) {
      upload.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
      blob = upload.commit();
    }
    ArtifactId id = new ArtifactId(blob.encrypted() ? "vault" : "edge", "artifact" + number);
    catalog.createRepository(id.repository(), true, blob.encrypted());
    catalog.add(id, "text/plain", blob, TestContent.digests(text));
    return catalog.find(id).orElseThrow();
  }

  /** Of all blobs that are stored. */
  List<String> keys() throws StorageException {
    try (Stream<StoredBlob> stored = files.list()) {
      return stored.map(each -> each.ref().key()).toList();
    }
  }

  /** The bytes of the forms that the catalog knows, which have the digests that it knows. */
  Map<String, byte[]> forms(BlobRef blob) throws StorageException {
    Map<String, byte[]> forms = new TreeMap<>();
    for (Derived each : register.of(blob)) {
      Derived.Stored form = (Derived.Stored) each;
      ByteBuffer bytes = ByteBuffer.allocate((int) form.blob().length());
      try (RangeReader reader =
          stores().blob(form.blob()).open(ByteRange.whole(form.blob().length()))) {
        while (reader.read(bytes) >= 0) {
          // Until it ends.
        }
      }
      assertThat(
              Digest.of(
                  DigestAlgorithm.SHA_256,
                  DigestAlgorithm.SHA_256.newMessageDigest().digest(bytes.array())))
          .isEqualTo(form.sha256());
      forms.put(form.form(), bytes.array());
    }
    return forms;
  }
}
