package io.artifactserver.storage.catalog.artifact;

import static io.artifactserver.storage.catalog.TestContent.digests;
import static io.artifactserver.storage.catalog.TestContent.newBlob;
import static io.artifactserver.storage.catalog.TestContent.newEncryptedBlob;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.blob.BlobChecksums;
import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.DataKeyStore;
import io.artifactserver.core.blob.DataKeyStore.WrappedDataKey;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.BlobRegister;
import io.artifactserver.core.derive.Derived;
import io.artifactserver.core.derive.DerivedRegister;
import io.artifactserver.core.derive.DerivedRegister.Folder;
import io.artifactserver.core.derive.DerivedRegister.Member;
import io.artifactserver.core.derive.DerivedRegister.Underived;
import io.artifactserver.core.derive.DerivedRegister.Waiting;
import io.artifactserver.core.derive.FormPaths;
import io.artifactserver.storage.catalog.CatalogApplication;
import io.artifactserver.storage.postgres.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class JdbcDerivedRegisterTest {
  private static final Instant CREATED = Instant.parse("2026-01-01T00:00:00Z");
  private static final AtomicInteger NAMES = new AtomicInteger();

  private static CatalogApplication application;
  private static ArtifactCatalog catalog;
  private static BlobRegister blobs;
  private static DerivedRegister derived;

  private String repository;

  @BeforeAll
  static void start() {
    application = new CatalogApplication(TestDatabase.create());
    catalog = application.bean(ArtifactCatalog.class);
    blobs = application.bean(BlobRegister.class);
    derived = application.bean(DerivedRegister.class);
  }

  @AfterAll
  static void stop() {
    application.close();
  }

  @BeforeEach
  void createRepository() {
    repository = "derived" + NAMES.incrementAndGet();
    catalog.createRepository(repository, true, false);
  }

  @Test
  void findsWhatLacksAForm() {
    BlobRef none = add("none");
    BlobRef one = add("one of two");
    BlobRef both = add("both");
    add("s");
    BlobRef suspect = add("suspect");
    blobs.suspect(suspect);
    derived.add(one, stored("a"));
    derived.add(both, stored("a"));
    derived.add(both, new Derived.Skipped("b"));
    assertThat(missing("a", "b")).contains(none, one).doesNotContain(both, suspect);
    assertThat(missing("a")).contains(none).doesNotContain(one, both);
    Underived first = derived.missing(List.of("a", "b"), 2, 1000, "", 1).getFirst();
    assertThat(derived.missing(List.of("a", "b"), 2, 1000, first.blob().key(), 100))
        .doesNotContain(first);
    assertThat(derived.missing(List.of("a"), 4, 4, "", 100).stream().map(Underived::blob))
        .contains(none)
        .doesNotContain(one);
    catalog.remove(new ArtifactId(repository, "none"));
    assertThat(missing("a", "b")).doesNotContain(none);
  }

  @Test
  void keepsOneOfEachForm() {
    BlobRef blob = add("text");
    Derived.Stored form = stored("a");
    assertThat(derived.add(blob, form)).isTrue();
    assertThat(derived.add(blob, stored("a"))).isFalse();
    assertThat(derived.add(blob, new Derived.Skipped("b"))).isTrue();
    assertThat(derived.add(newBlob("nowhere"), stored("a"))).isFalse();
    assertThat(derived.of(blob)).containsExactly(form, new Derived.Skipped("b"));
    assertThat(derived.forget(blob)).containsExactly(form.blob());
    assertThat(derived.of(blob)).isEmpty();
    assertThat(derived.forget(newBlob("nowhere"))).isEmpty();
  }

  /** Or the sweeper would delete the form, its data key and its checksums. */
  @Test
  void formIsNoOrphan() {
    BlobRef blob = newEncryptedBlob("secret");
    catalog.add(new ArtifactId(repository, "a"), "text/plain", blob, digests("secret"));
    BlobRef formBlob = newEncryptedBlob("form");
    Derived.Stored form = new Derived.Stored("a", formBlob, digests("form").sha256(), CREATED);
    DataKeyStore dataKeys = application.bean(DataKeyStore.class);
    BlobChecksums checksums = application.bean(BlobChecksums.class);
    dataKeys.put(new WrappedDataKey(formBlob.key(), new byte[] {1}, 1));
    checksums.put(formBlob.key(), new byte[4]);
    derived.add(blob, form);
    Instant later = blobs.now().plusSeconds(60);
    dataKeys.deleteOrphans(later);
    checksums.deleteOrphans(later);
    assertThat(dataKeys.find(formBlob.key())).isPresent();
    assertThat(checksums.find(formBlob.key())).isPresent();
    assertThat(blobs.known(List.of(formBlob.key(), blob.key())))
        .containsExactlyInAnyOrder(formBlob.key(), blob.key());
    assertThat(derived.of(blob)).containsExactly(form);
    assertThat(blobs.derivedFrom(blob)).containsExactly(formBlob);

    catalog.remove(new ArtifactId(repository, "a"));
    assertThat(blobs.forget(blob, Instant.MAX)).isTrue();
    assertThat(blobs.known(List.of(formBlob.key()))).isEmpty();
    assertThat(blobs.derivedFrom(blob)).isEmpty();
    dataKeys.deleteOrphans(later);
    checksums.deleteOrphans(later);
    assertThat(dataKeys.find(formBlob.key())).isEmpty();
    assertThat(checksums.find(formBlob.key())).isEmpty();
  }

  @Test
  void listsFolder() {
    BlobRef old = add("fw/ä/old");
    application.clock().advance(Duration.ofSeconds(1));
    BlobRef recent = add("fw/ä/new");
    add("fw/ä/waiting");
    BlobRef skipped = add("fw/ä/skipped");
    BlobRef deeper = add("fw/ä/deeper/file");
    BlobRef beside = add("fw/äa");
    Derived.Stored oldForm = stored("a");
    Derived.Stored recentForm = stored("a");
    derived.add(old, oldForm);
    derived.add(recent, recentForm);
    Derived.Stored recentSecond = stored("b");
    derived.add(recent, recentSecond);
    derived.add(old, new Derived.Skipped("b"));
    derived.add(skipped, new Derived.Skipped("a"));
    derived.add(deeper, stored("a"));
    derived.add(beside, stored("a"));
    Folder folder = derived.folder(repository, "fw/ä/", "", "a", "b", 0, 100);
    assertThat(folder.members())
        .containsExactly(
            new Member(
                "fw/ä/new", 9, digests("fw/ä/new").sha256(), recentForm, Optional.of(recentSecond)),
            new Member("fw/ä/old", 9, digests("fw/ä/old").sha256(), oldForm, Optional.empty()));
    assertThat(folder.waiting()).containsExactly(new Waiting("fw/ä/waiting", 13));
    Folder ofLong = derived.folder(repository, "fw/ä/", "", "a", "b", 10, 100);
    assertThat(ofLong.members()).as("too short").isEmpty();
    assertThat(ofLong.waiting()).containsExactly(new Waiting("fw/ä/waiting", 13));
    assertThat(derived.folder(repository, "", "", "a", "b", 0, 100).members()).isEmpty();
    assertThat(derived.folder(repository, "fw/", "", "a", "b", 0, 100).members()).hasSize(1);
  }

  @Test
  void listsArtifactsOfAStore() {
    for (String name :
        List.of("a.img", "a", "a.img.sig", "a.x.img", "aa.img", "A.img", "b/a.img")) {
      add("fw/ä/" + name);
    }
    assertThat(waitingOf("a")).containsExactlyInAnyOrder("fw/ä/a.img", "fw/ä/a");
    assertThat(waitingOf("a.img")).containsExactlyInAnyOrder("fw/ä/a.img", "fw/ä/a.img.sig");
    assertThat(waitingOf("%")).isEmpty();
    assertThat(waitingOf("a_img")).isEmpty();
  }

  private List<String> waitingOf(String store) {
    return derived.folder(repository, "fw/ä/", store, "a", "b", 0, 100).waiting().stream()
        .map(Waiting::path)
        .toList();
  }

  @Test
  void listsArtifactsThatLookLikeChunks() {
    String chunk = ".castr/abcd/" + "abcd".repeat(16);
    for (String path :
        List.of(
            "/abcd/" + "abcd".repeat(16),
            ".castr/abcd/file",
            ".castr/file",
            chunk + ".xz",
            chunk.toUpperCase(Locale.ROOT),
            chunk.substring(1))) {
      add("fw/ä/x" + path);
    }
    add("fw/ä/deeper/x" + chunk);
    add("fw/äx" + chunk);
    assertThat(derived.likeChunks(repository, "fw/ä/", 100)).isEmpty();
    add("fw/ä/x" + chunk);
    add("fw/ä/y" + chunk + ".cacnk");
    assertThat(derived.likeChunks(repository, "fw/ä/", 100))
        .containsExactlyInAnyOrder("fw/ä/x" + chunk, "fw/ä/y" + chunk + ".cacnk");
    assertThat(derived.likeChunks(repository, "fw/ä/", 1)).hasSize(1);
    assertThat(derived.likeChunks(repository, "", 100)).isEmpty();
  }

  @Test
  void derivesForThePathsThatARepositoryWants() {
    BlobRef image = add("fw/1_2/os.img");
    BlobRef other = add("fw/1x2/os.img");
    BlobRef shared = add("docs/shared");
    assertThat(derived.paths()).doesNotContainKey(repository);
    assertThat(missing("a")).contains(image, other, shared);
    FormPaths paths = new FormPaths(List.of("none", "*/1_2/*.img"));
    assertThat(derived.putPaths(repository, paths)).isTrue();
    assertThat(derived.paths()).containsEntry(repository, paths);
    assertThat(missing("a")).contains(image).doesNotContain(other, shared);
    // Another repository wants the same bytes.
    String second = repository + "-second";
    catalog.createRepository(second, true, false);
    catalog.add(new ArtifactId(second, "a"), "text/plain", shared, digests("docs/shared"));
    assertThat(missing("a")).contains(image, shared).doesNotContain(other);
    assertThat(derived.putPaths(repository, new FormPaths(List.of()))).isTrue();
    assertThat(missing("a")).contains(shared).doesNotContain(image, other);
    assertThat(derived.putPaths(repository, FormPaths.ALL)).isTrue();
    assertThat(missing("a")).contains(image, other, shared);
    assertThat(derived.putPaths("nowhere", FormPaths.ALL)).isFalse();
  }

  private List<BlobRef> missing(String... forms) {
    return derived.missing(List.of(forms), 2, 1000, "", 1000).stream()
        .map(Underived::blob)
        .toList();
  }

  private BlobRef add(String path) {
    BlobRef blob = newBlob(path);
    catalog.add(new ArtifactId(repository, path), "text/plain", blob, digests(path));
    return catalog.find(new ArtifactId(repository, path)).orElseThrow().blob();
  }

  private static Derived.Stored stored(String form) {
    return new Derived.Stored(form, newBlob("form"), digests("form").sha256(), CREATED);
  }
}
