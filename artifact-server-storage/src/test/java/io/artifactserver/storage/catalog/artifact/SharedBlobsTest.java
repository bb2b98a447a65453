package io.artifactserver.storage.catalog.artifact;

import static io.artifactserver.storage.catalog.TestContent.digests;
import static io.artifactserver.storage.catalog.TestContent.newBlob;
import static io.artifactserver.storage.catalog.TestContent.newEncryptedBlob;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.ArtifactCatalog.Addition;
import io.artifactserver.core.catalog.ArtifactCatalog.Removal;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.Repository;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** Artifacts share a blob, and the last one retires it. */
class SharedBlobsTest extends JdbcCatalogFixture {
  @Test
  void sharesABlobThatIsEncryptedOrNotAsTheRepositoryWants() {
    Repository encrypted = catalog.createRepository(repository, false, true).orElseThrow();
    Repository plain = catalog.createRepository(repository + "p", true, false).orElseThrow();
    ArtifactId plainId = new ArtifactId(plain.name(), "a");
    assertThat(catalog.share(id("a"), "text/plain", digests(text))).isEmpty();
    assertThat(catalog.find(id("a"))).isEmpty();
    BlobRef blob = newEncryptedBlob(text);
    added("a", blob);
    Artifact expected = new Artifact(encrypted, "b", blob, "text/plain", digests(text), now());
    assertThat(catalog.share(id("b"), "text/plain", digests(text)))
        .contains(new Addition.Added(expected));
    assertThat(catalog.find(id("b"))).contains(expected);
    assertThat(catalog.share(plainId, "text/plain", digests(text))).isEmpty();
    assertThat(catalog.find(plainId)).isEmpty();
  }

  @Test
  void refersToTheBlobThatCameFirst() {
    create(false);
    BlobRef first = newBlob(text);
    added("a", first);
    BlobRef second = newBlob(text);
    assertThat(added("b", second).blob()).isEqualTo(first);
    assertThat(register.known(List.of(first.key(), second.key()))).containsOnly(first.key());
  }

  @Test
  void retiresABlobWithItsLastArtifact() {
    create(false);
    BlobRef blob = newBlob(text);
    Artifact first = added("a", blob);
    added("b", blob);
    assertThat(catalog.remove(id("a"))).isEqualTo(new Removal.Removed(first));
    assertThat(catalog.remove(id("a"))).isEqualTo(new Removal.Absent());
    assertThat(retired()).doesNotContain(blob);
    assertThat(register.forget(blob, Instant.MAX)).isFalse();

    catalog.remove(id("b"));
    assertThat(retired()).contains(blob);
    assertThat(register.retiredBefore(now(), 1000)).doesNotContain(blob);

    assertThat(shared("c").blob()).isEqualTo(blob);
    assertThat(retired()).doesNotContain(blob);
    assertThat(register.forget(blob, Instant.MAX)).isFalse();
    assertThat(register.known(List.of(blob.key()))).containsExactly(blob.key());
  }

  @Test
  void doesNotShareABlobThatIsForgotten() {
    create(false);
    BlobRef blob = newBlob(text);
    added("a", blob);
    long stored = register.storedBytes();
    catalog.remove(id("a"));
    assertThat(register.storedBytes()).isEqualTo(stored);
    assertThat(register.forget(blob, Instant.MAX)).isTrue();
    assertThat(register.forget(blob, Instant.MAX)).isFalse();
    assertThat(register.storedBytes()).isEqualTo(stored - blob.length());
    assertThat(register.known(List.of(blob.key()))).isEmpty();
    assertThat(catalog.share(id("b"), "text/plain", digests(text))).isEmpty();
    assertThat(catalog.find(id("b"))).isEmpty();
    assertThat(added("b", newBlob(text)).digests()).isEqualTo(digests(text));
  }

  @Test
  void listsRetiredBlobsOldestFirst() {
    create(false);
    List<BlobRef> blobs = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      BlobRef blob = newBlob(text);
      blobs.add(blob);
      catalog.add(id("p" + i), "text/plain", blob, digests(text + i));
      catalog.remove(id("p" + i));
      application.clock().advance(Duration.ofSeconds(1));
    }
    assertThat(retired()).containsSubsequence(blobs);
    assertThat(register.retiredBefore(now(), 1)).hasSize(1);
    assertThat(register.retiredBefore(Instant.EPOCH, 1000)).isEmpty();
    assertThat(register.known(List.of())).isEmpty();
  }

  @RepeatedTest(20)
  void concurrentUploadsOfTheSameContentShareOneBlob() throws Exception {
    create(false);
    List<BlobRef> offered = new ArrayList<>();
    List<Callable<Addition>> adds = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      BlobRef blob = newBlob(text);
      ArtifactId id = id("p" + i);
      offered.add(blob);
      adds.add(() -> catalog.add(id, "text/plain", blob, digests(text)));
    }
    Set<BlobRef> used = new HashSet<>();
    for (Addition addition : together(adds)) {
      used.add(((Addition.Added) addition).artifact().blob());
    }
    assertThat(used).hasSize(1).isSubsetOf(offered);
    assertThat(register.known(offered.stream().map(BlobRef::key).toList())).hasSize(1);
  }

  /** An artifact never refers to a blob whose bytes the sweeper was told to delete. */
  @RepeatedTest(60)
  void anUploadThatSharesRacesADeletionAndTheSweeper() throws Exception {
    create(false);
    BlobRef blob = newBlob(text);
    added("a", blob);
    List<Callable<Object>> actions =
        List.of(
            () -> catalog.share(id("b"), "text/plain", digests(text)),
            () -> catalog.share(id("a"), "text/plain", digests(text)),
            () -> catalog.remove(id("a")),
            () -> register.forget(blob, Instant.MAX),
            () -> register.forget(blob, Instant.MAX),
            () -> catalog.remove(id("b")));
    List<Object> results = together(actions);

    boolean forgotten = results.contains(true);
    // Nothing but the sweeper's deletion makes the bytes unknown.
    assertThat(forgotten || !results.subList(0, 2).contains(Optional.empty())).isTrue();
    List<Artifact> artifacts = catalog.list(repository, "", "", 10);
    if (forgotten) {
      assertThat(artifacts).isEmpty();
      assertThat(register.known(List.of(blob.key()))).isEmpty();
      assertThat(results.stream().filter(Boolean.TRUE::equals)).hasSize(1);
    } else {
      assertThat(artifacts).allMatch(artifact -> artifact.blob().equals(blob));
      // Retired if and only if nothing refers to it.
      assertThat(retired().contains(blob)).isEqualTo(artifacts.isEmpty());
    }
  }

  /** As {@code ArtifactIngest} does it: what is not shared is stored again. */
  @RepeatedTest(60)
  void everyUploadOfARetiredContentEndsWithABlobThatStays() throws Exception {
    create(false);
    BlobRef retired = newBlob(text);
    added("old", retired);
    catalog.remove(id("old"));
    List<Callable<Object>> actions = new ArrayList<>();
    for (String path : List.of("a", "b", "c")) {
      BlobRef own = newBlob(text);
      actions.add(() ->
          catalog
              .share(id(path), "text/plain", digests(text))
              .orElseGet(() -> catalog.add(id(path), "text/plain", own, digests(text))));
    }
    actions.add(() -> register.forget(retired, Instant.MAX));
    actions.add(() -> register.forget(retired, Instant.MAX));
    List<Object> results = together(actions);

    assertThat(results.subList(0, 3)).hasOnlyElementsOfType(Addition.Added.class);
    List<Artifact> artifacts = catalog.list(repository, "", "", 10);
    assertThat(artifacts).hasSize(3);
    BlobRef blob = artifacts.getFirst().blob();
    assertThat(artifacts).allMatch(artifact -> artifact.blob().equals(blob));
    assertThat(register.known(List.of(blob.key()))).hasSize(1);
    assertThat(retired()).doesNotContain(blob);
    assertThat(register.forget(blob, Instant.MAX)).isFalse();
    assertThat(blob.equals(retired)).isEqualTo(!results.contains(true));
  }

  @RepeatedTest(20)
  void concurrentDeletionsRetireTheSharedBlob() throws Exception {
    create(false);
    BlobRef blob = newBlob(text);
    List<Callable<Removal>> removals = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      ArtifactId id = id("p" + i);
      added(id.path(), blob);
      removals.add(() -> catalog.remove(id));
      removals.add(() -> catalog.remove(id));
    }
    assertThat(together(removals).stream().filter(Removal.Removed.class::isInstance)).hasSize(3);
    assertThat(retired()).contains(blob);
  }
}
