package io.artifactserver.storage.catalog.artifact;

import static io.artifactserver.storage.catalog.TestContent.digests;
import static io.artifactserver.storage.catalog.TestContent.newBlob;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.Reach;
import io.artifactserver.core.catalog.RepositoryChange;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.Digests;
import io.artifactserver.storage.catalog.CatalogApplication;
import io.artifactserver.storage.postgres.TestDatabase;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

class CachedArtifactCatalogTest {
  private static CatalogApplication application;
  private static ArtifactCatalog catalog;

  private final String repository = "r" + UUID.randomUUID();
  private final ArtifactId id = new ArtifactId(repository, "a");
  private final Digests digests = digests(repository);
  private final Digest digest = digests.sha256();

  @BeforeAll
  static void start() {
    application = new CatalogApplication(TestDatabase.create());
    catalog = application.bean(ArtifactCatalog.class);
  }

  @AfterAll
  static void stop() {
    application.close();
  }

  @BeforeEach
  void createRepository() {
    assertThat(catalog.createRepository(repository, true, false)).isPresent();
  }

  @Test
  void asksOnce() {
    add(id);
    assertThat(catalog.find(id, Reach.MEMORY)).isEmpty();
    assertThat(catalog.findContent(digest, Reach.MEMORY)).isEmpty();
    Optional<Artifact> found = catalog.find(id);
    assertThat(found).isPresent();
    assertThat(catalog.findContent(digest)).isPresent();

    long before = application.statements();
    assertThat(catalog.find(id)).isEqualTo(found);
    assertThat(catalog.find(id, Reach.MEMORY)).isEqualTo(found);
    assertThat(catalog.findContent(digest))
        .isEqualTo(catalog.findContent(digest, Reach.MEMORY))
        .isPresent();
    assertThat(application.statements() - before).isZero();
  }

  @Test
  void doesNotRememberWhatIsNotThere() {
    assertThat(catalog.find(id)).isEmpty();
    assertThat(catalog.findContent(digest)).isEmpty();
    add(id);
    assertThat(catalog.find(id)).isPresent();
    assertThat(catalog.findContent(digest)).isPresent();
  }

  @Test
  void forgetsWhatIsRemoved() {
    add(id);
    assertThat(catalog.find(id)).isPresent();
    digests.values().values().forEach(each -> assertThat(catalog.findContent(each)).isPresent());
    catalog.remove(id);
    assertThat(catalog.find(id, Reach.MEMORY)).isEmpty();
    assertThat(catalog.find(id)).isEmpty();
    digests
        .values()
        .values()
        .forEach(each -> {
          assertThat(catalog.findContent(each, Reach.MEMORY)).isEmpty();
          assertThat(catalog.findContent(each)).isEmpty();
        });
  }

  @Test
  void showsANewReaderOfAKnownContent() {
    add(id);
    assertThat(catalog.findContent(digest).orElseThrow().repositories()).hasSize(1);
    assertThat(catalog.createRepository(repository + "2", false, false)).isPresent();
    add(new ArtifactId(repository + "2", "b"));
    assertThat(catalog.findContent(digest).orElseThrow().repositories()).hasSize(2);
    assertThat(catalog.createRepository(repository + "3", false, false)).isPresent();
    assertThat(catalog.share(new ArtifactId(repository + "3", "c"), "text/plain", digests))
        .containsInstanceOf(ArtifactCatalog.Addition.Added.class);
    assertThat(catalog.findContent(digest).orElseThrow().repositories()).hasSize(3);
  }

  @Test
  void showsAtOnceThatARepositoryRedirects() {
    add(id);
    assertThat(catalog.find(id).orElseThrow().repository().redirects()).isFalse();
    assertThat(catalog.changeRepository(repository, new RepositoryChange(true, null, null)))
        .isPresent();
    assertThat(catalog.find(id).orElseThrow().repository().redirects()).isTrue();
  }

  @Test
  void showsAtOnceThatARepositoryIsMutable() {
    add(id);
    assertThat(catalog.find(id).orElseThrow().repository().paths().mutable()).isFalse();
    assertThat(catalog.findRepository(repository, Reach.DATABASE).orElseThrow().paths().mutable())
        .isFalse();
    assertThat(catalog.changeRepository(repository, new RepositoryChange(null, true, null)))
        .isPresent();
    assertThat(catalog.find(id).orElseThrow().repository().paths().mutable()).isTrue();
    assertThat(catalog.findRepository(repository, Reach.DATABASE).orElseThrow().paths().mutable())
        .isTrue();
  }

  @Test
  void knowsNoRepositoryAsNotPublicUnlessItKnowsAll() {
    catalog.createRepository(repository + "-closed", false, false);
    assertThat(catalog.knowsAsNotPublic(repository + "-closed")).isFalse();
    catalog.findRepository(repository, Reach.DATABASE);
    assertThat(catalog.knowsAsNotPublic(repository + "-closed")).isTrue();
    assertThat(catalog.knowsAsNotPublic(repository + "-absent")).isTrue();
    assertThat(catalog.knowsAsNotPublic(repository)).isFalse();
  }

  /** A stranger was denied a public artifact when somebody changed a repository just then. */
  @Test
  void publicRepositoryIsNeverKnownAsNotPublic() throws Exception {
    try (ExecutorService threads = Executors.newSingleThreadExecutor()) {
      Future<?> changes =
          threads.submit(() -> {
            for (int i = 0; i < 300; i++) {
              catalog.changeRepository(repository, new RepositoryChange(i % 2 == 0, null, null));
              catalog.findRepository(repository, Reach.DATABASE);
            }
          });
      while (!changes.isDone()) {
        assertThat(catalog.knowsAsNotPublic(repository)).isFalse();
      }
      changes.get();
    }
  }

  @Test
  void tellsAtOnceWhatADeletedPathHad() {
    add(id);
    assertThat(catalog.find(id)).isPresent();
    assertThat(catalog.usedPath(id)).isEmpty();
    catalog.remove(id);
    assertThat(catalog.usedPath(id).orElseThrow().sha256()).isEqualTo(digests.sha256());
  }

  /** A load that began before a deletion never leaves its result behind. */
  @RepeatedTest(50)
  void aLoadDoesNotOutliveADeletion() throws Exception {
    add(id);
    try (ExecutorService threads = Executors.newFixedThreadPool(3)) {
      Future<?> artifactLoad = threads.submit(() -> catalog.find(id));
      Future<?> contentLoad = threads.submit(() -> catalog.findContent(digest));
      Future<?> removal = threads.submit(() -> catalog.remove(id));
      artifactLoad.get();
      contentLoad.get();
      removal.get();
    }
    assertThat(catalog.find(id, Reach.MEMORY)).isEmpty();
    assertThat(catalog.findContent(digest, Reach.MEMORY)).isEmpty();
  }

  private void add(ArtifactId artifact) {
    assertThat(catalog.add(artifact, "text/plain", newBlob(repository), digests))
        .isInstanceOf(ArtifactCatalog.Addition.Added.class);
  }
}
