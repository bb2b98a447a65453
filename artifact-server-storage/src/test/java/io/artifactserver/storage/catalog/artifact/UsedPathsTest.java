package io.artifactserver.storage.catalog.artifact;

import static io.artifactserver.storage.catalog.TestContent.digests;
import static io.artifactserver.storage.catalog.TestContent.newBlob;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.ArtifactCatalog.Addition;
import io.artifactserver.core.catalog.PathPolicy;
import io.artifactserver.core.catalog.Repository;
import io.artifactserver.core.catalog.RepositoryChange;
import io.artifactserver.core.catalog.UsedPath;
import io.artifactserver.core.digest.Digest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** Paths that had an artifact, and the bytes that they take again. */
class UsedPathsTest extends JdbcCatalogFixture {
  @Test
  void keepsAndChangesHowPathsBehave() {
    PathPolicy asked = new PathPolicy(true, Duration.ofHours(1));
    Repository created = catalog.createRepository(repository, true, false, asked).orElseThrow();
    assertThat(created.paths()).isEqualTo(asked);
    assertThat(catalog.repository(repository)).contains(created);
    assertThat(catalog.changeRepository(repository, new RepositoryChange(null, false, null)))
        .map(Repository::paths)
        .contains(new PathPolicy(false, Duration.ofHours(1)));
    assertThat(
            catalog.changeRepository(
                repository, new RepositoryChange(null, null, PathPolicy.LONGEST_AGE)))
        .map(Repository::paths)
        .contains(new PathPolicy(false, PathPolicy.LONGEST_AGE));
    assertThat(catalog.changeRepository(repository, new RepositoryChange(null, null, null)))
        .isEqualTo(catalog.repository(repository));
    assertThat(catalog.createRepository(repository + "d", true, false).orElseThrow().paths())
        .isEqualTo(new PathPolicy(false, Duration.ofMinutes(5)));
  }

  @Test
  void aPathThatWasUsedTakesTheSameBytesOnly() {
    create(false);
    String other = "other " + text;
    Artifact first = added("a", newBlob(text));
    assertThat(catalog.usedPath(id("a"))).isEmpty();
    catalog.remove(id("a"));
    UsedPath used = new UsedPath(id("a"), first.digests().sha256(), now());
    assertThat(catalog.usedPath(id("a"))).contains(used);
    assertThat(catalog.usedPath(id("b"))).isEmpty();

    BlobRef offered = newBlob(other);
    assertThat(catalog.add(id("a"), "text/plain", offered, digests(other)))
        .isEqualTo(new Addition.PathUsed(used));
    assertThat(register.known(List.of(offered.key()))).isEmpty();
    // Known bytes, and known but retired ones.
    catalog.add(id("b"), "text/plain", offered, digests(other));
    assertThat(catalog.share(id("a"), "text/plain", digests(other)))
        .contains(new Addition.PathUsed(used));
    catalog.remove(id("b"));
    assertThat(catalog.share(id("a"), "text/plain", digests(other)))
        .contains(new Addition.PathUsed(used));
    assertThat(register.forget(offered, Instant.MAX)).isTrue();
    assertThat(catalog.find(id("a"))).isEmpty();

    // However often they come and go, and when their blob is swept.
    assertThat(shared("a").digests()).isEqualTo(digests(text));
    application.clock().advance(Duration.ofDays(400));
    catalog.remove(id("a"));
    assertThat(catalog.usedPath(id("a")))
        .contains(new UsedPath(id("a"), first.digests().sha256(), now()));
    assertThat(register.forget(first.blob(), Instant.MAX)).isTrue();
    assertThat(catalog.share(id("a"), "text/plain", digests(other)))
        .containsInstanceOf(Addition.PathUsed.class);
    assertThat(added("a", newBlob(text)).digests()).isEqualTo(digests(text));
  }

  @Test
  void aPathOfAMutableRepositoryTakesOtherBytesUntilItIsBoundToTheLast() {
    create(false);
    String other = "other " + text;
    added("a", newBlob(text));
    catalog.remove(id("a"));
    catalog.changeRepository(repository, new RepositoryChange(null, true, null));
    assertThat(catalog.add(id("a"), "text/plain", newBlob(other), digests(other)))
        .isInstanceOf(Addition.Added.class);
    catalog.changeRepository(repository, new RepositoryChange(null, false, null));
    catalog.remove(id("a"));
    assertThat(catalog.usedPath(id("a")).orElseThrow().sha256()).isEqualTo(digests(other).sha256());
    assertThat(catalog.add(id("a"), "text/plain", newBlob(text), digests(text)))
        .isInstanceOf(Addition.PathUsed.class);
    assertThat(catalog.share(id("a"), "text/plain", digests(other)))
        .containsInstanceOf(Addition.Added.class);
  }

  /** An upload may have looked at the path before another came and went. */
  @RepeatedTest(60)
  void uploadsAndDeletionsThatRaceLeaveAPathWithOneContent() throws Exception {
    create(false);
    List<Callable<List<Digest>>> actions = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      String content = text + i % 3;
      actions.add(() -> {
        List<Digest> had = new ArrayList<>();
        for (int turn = 0; turn < 3; turn++) {
          if (catalog.add(id("a"), "text/plain", newBlob(content), digests(content))
              instanceof Addition.Added added) {
            had.add(added.artifact().digests().sha256());
          }
          catalog.remove(id("a"));
        }
        return had;
      });
    }
    assertThat(together(actions).stream().flatMap(List::stream).distinct()).hasSize(1);
  }

  @Test
  void aTakenPathDoesNotTakeUpARetiredBlob() {
    create(false);
    BlobRef retired = newBlob(text);
    added("gone", retired);
    catalog.remove(id("gone"));
    catalog.add(id("a"), "text/plain", newBlob("x"), digests("other " + repository));
    assertThat(catalog.add(id("a"), "text/plain", newBlob(text), digests(text)))
        .isInstanceOf(Addition.PathTaken.class);
    assertThat(catalog.share(id("a"), "text/plain", digests(text)))
        .containsInstanceOf(Addition.PathTaken.class);
    assertThat(register.forget(retired, Instant.MAX)).isTrue();
  }

  @RepeatedTest(20)
  void concurrentUploadsToTheSamePathHaveOneWinner() throws Exception {
    create(false);
    List<BlobRef> offered = new ArrayList<>();
    List<Callable<Addition>> adds = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      String content = text + i % 3;
      BlobRef blob = newBlob(content);
      offered.add(blob);
      adds.add(() -> catalog.add(id("a"), "text/plain", blob, digests(content)));
    }
    List<Addition> additions = together(adds);
    Artifact winner = catalog.find(id("a")).orElseThrow();
    assertThat(additions.stream().filter(Addition.Added.class::isInstance)).hasSize(1);
    assertThat(additions)
        .allMatch(addition ->
            switch (addition) {
              case Addition.Added added -> added.artifact().equals(winner);
              case Addition.PathTaken taken -> taken.existing().equals(winner);
              case Addition.PathUsed _, Addition.NoRepository _ -> false;
            });
    assertThat(register.known(offered.stream().map(BlobRef::key).toList()))
        .containsExactly(winner.blob().key());
  }
}
