package io.artifactserver.storage.catalog.artifact;

import static io.artifactserver.storage.catalog.TestContent.digests;
import static io.artifactserver.storage.catalog.TestContent.newBlob;
import static io.artifactserver.storage.catalog.TestContent.newEncryptedBlob;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.artifactserver.core.access.Scope;
import io.artifactserver.core.blob.BlobChecksums;
import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.ArtifactCatalog.Addition;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.BlobRegister;
import io.artifactserver.core.catalog.Content;
import io.artifactserver.core.catalog.InvalidNameException;
import io.artifactserver.core.catalog.PathPolicy;
import io.artifactserver.core.catalog.PathRange;
import io.artifactserver.core.catalog.Reach;
import io.artifactserver.core.catalog.Repository;
import io.artifactserver.core.catalog.RepositoryChange;
import io.artifactserver.core.catalog.UsedPath;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.digest.Digests;
import io.artifactserver.storage.catalog.CatalogApplication;
import io.artifactserver.storage.catalog.InstallationId;
import io.artifactserver.storage.postgres.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JpaArtifactCatalogTest {
  private static CatalogApplication application;
  private static ArtifactCatalog catalog;
  private static BlobRegister register;

  private final String repository = "r" + UUID.randomUUID();
  private final String text = "content of " + repository;

  @BeforeAll
  static void start() {
    // Without entries every call reaches the database.
    application =
        new CatalogApplication(TestDatabase.create(), "artifact-server.catalog.cache-size=0");
    catalog = application.bean(ArtifactCatalog.class);
    register = application.bean(BlobRegister.class);
  }

  @AfterAll
  static void stop() {
    application.close();
  }

  @Test
  void createsARepositoryOnce() {
    Repository created = catalog.createRepository(repository, true, false).orElseThrow();
    assertThat(created.createdAt()).isEqualTo(now());
    assertThat(catalog.createRepository(repository, false, true)).isEmpty();
    assertThat(catalog.repository(repository)).contains(created);
    assertThat(catalog.repositories()).contains(created);
    assertThat(catalog.repository("no-" + repository)).isEmpty();
    assertThat(catalog.repository("\0")).isEmpty();
    assertThatThrownBy(() -> catalog.createRepository("a/b", true, false))
        .isInstanceOf(InvalidNameException.class);
  }

  @Test
  void redirectsARepositoryUntilToldOtherwise() {
    Repository created = catalog.createRepository(repository, true, false).orElseThrow();
    assertThat(created.redirects()).isFalse();
    added("a", newBlob(text));
    assertThat(
            catalog.changeRepository(repository, RepositoryChange.ofRedirects(true)).orElseThrow())
        .isEqualTo(
            new Repository(repository, true, false, true, PathPolicy.DEFAULT, created.createdAt()));
    assertThat(catalog.find(id("a")).orElseThrow().repository().redirects()).isTrue();
    assertThat(catalog.changeRepository(repository, RepositoryChange.ofRedirects(false)))
        .contains(created);
    assertThat(catalog.changeRepository("no-" + repository, RepositoryChange.ofRedirects(true)))
        .isEmpty();
    assertThat(catalog.changeRepository("a/b", RepositoryChange.ofRedirects(true))).isEmpty();
  }

  @Test
  void keepsAndChangesHowPathsBehave() {
    PathPolicy asked = new PathPolicy(true, Duration.ofHours(1));
    Repository created = catalog.createRepository(repository, true, false, asked).orElseThrow();
    assertThat(created.paths()).isEqualTo(asked);
    assertThat(catalog.repository(repository)).contains(created);
    assertThat(catalog.changeRepository(repository, RepositoryChange.ofMutable(false)))
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
    catalog.changeRepository(repository, RepositoryChange.ofMutable(true));
    assertThat(catalog.add(id("a"), "text/plain", newBlob(other), digests(other)))
        .isInstanceOf(Addition.Added.class);
    catalog.changeRepository(repository, RepositoryChange.ofMutable(false));
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
  void addsAndFindsAnArtifact() {
    Repository created = catalog.createRepository(repository, false, true).orElseThrow();
    BlobRef blob = newBlob(text);
    Artifact added = added("a/b.bin", blob);
    assertThat(added)
        .isEqualTo(
            new Artifact(
                created, "a/b.bin", blob, "application/octet-stream", digests(text), now()));
    assertThat(catalog.find(id("a/b.bin"))).contains(added);
    assertThat(catalog.find(id("a"))).isEmpty();
    assertThat(catalog.find(new ArtifactId("no-" + repository, "a/b.bin"))).isEmpty();
  }

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
  void namesTheArtifactThatHasThePath() {
    create(false);
    Artifact existing = added("a", newBlob(text));
    BlobRef other = newBlob("other");
    assertThat(catalog.add(id("a"), "text/plain", other, digests("other " + repository)))
        .isEqualTo(new Addition.PathTaken(existing));
    assertThat(catalog.share(id("a"), "text/plain", digests("other " + repository)))
        .contains(new Addition.PathTaken(existing));
    assertThat(register.known(List.of(other.key()))).isEmpty();
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

  @Test
  void missesTheRepository() {
    BlobRef blob = newBlob(text);
    assertThat(catalog.add(id("a"), "text/plain", blob, digests(text)))
        .isEqualTo(new Addition.NoRepository());
    assertThat(catalog.share(id("a"), "text/plain", digests(text)))
        .contains(new Addition.NoRepository());
    assertThat(register.known(List.of(blob.key()))).isEmpty();
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
  void addsADigestThatWasUnknownBefore() {
    create(false);
    Map<DigestAlgorithm, Digest> old = new EnumMap<>(digests(text).values());
    old.remove(DigestAlgorithm.SHA_512);
    catalog.add(id("a"), "text/plain", newBlob(text), new Digests(old));
    assertThat(catalog.find(id("a")).orElseThrow().digests().get(DigestAlgorithm.SHA_512))
        .isEmpty();
    catalog.share(id("b"), "text/plain", digests(text));
    assertThat(catalog.find(id("a")).orElseThrow().digests()).isEqualTo(digests(text));
  }

  @Test
  void retiresABlobWithItsLastArtifact() {
    create(false);
    BlobRef blob = newBlob(text);
    Artifact first = added("a", blob);
    added("b", blob);
    assertThat(catalog.remove(id("a"))).contains(first);
    assertThat(catalog.remove(id("a"))).isEmpty();
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

  @Test
  void findsContentByEveryDigest() {
    create(true);
    added("a", newBlob(text));
    Artifact artifact = added("b", newBlob(text));
    for (Digest digest : digests(text).values().values()) {
      assertThat(catalog.findContent(digest))
          .contains(
              new Content(
                  artifact.blob(),
                  digests(text),
                  artifact.createdAt(),
                  Set.of(artifact.repository())));
    }
    assertThat(catalog.findContent(digests("x" + repository).sha256())).isEmpty();
    catalog.remove(id("a"));
    catalog.remove(id("b"));
    assertThat(catalog.findContent(digests(text).sha256())).isEmpty();
  }

  @Test
  void servesThePlainBlobToTheReadersOfBoth() {
    Repository encrypted = catalog.createRepository(repository, false, true).orElseThrow();
    Repository plain = catalog.createRepository(repository + "p", true, false).orElseThrow();
    added("a", newEncryptedBlob(text));
    BlobRef blob = newBlob(text);
    catalog.add(new ArtifactId(plain.name(), "a"), "text/plain", blob, digests(text));
    assertThat(catalog.findContent(digests(text).sha256()))
        .hasValueSatisfying(content -> {
          assertThat(content.blob()).isEqualTo(blob);
          assertThat(content.repositories()).containsExactlyInAnyOrder(encrypted, plain);
        });
  }

  @Test
  void movesArtifactsToTheEncryptedBlobAndLeavesThoseOfPlainRepositories() {
    create(false);
    Repository other = catalog.createRepository(repository + "p", true, false).orElseThrow();
    ArtifactId otherId = new ArtifactId(other.name(), "a");
    BlobRef blob = newBlob(text);
    added("a", blob);
    shared("b");
    catalog.share(otherId, "text/plain", digests(text));
    assertThat(waiting(blob)).isEmpty();
    assertThat(catalog.encryptRepository("no-" + repository)).isEmpty();
    assertThat(catalog.encryptRepository(repository).orElseThrow().encrypted()).isTrue();
    ArtifactCatalog.PlainContent content = waiting(blob).orElseThrow();
    assertThat(content.digests()).isEqualTo(digests(text));
    assertThat(catalog.encryptionProgress(repository))
        .isEqualTo(new ArtifactCatalog.EncryptionProgress(2, 0));
    assertThat(catalog.shareEncrypted(content)).isFalse();
    BlobRef copy = newEncryptedBlob(text);
    assertThat(catalog.moveToEncrypted(content, copy)).isTrue();
    assertThat(catalog.encryptionProgress(repository))
        .isEqualTo(new ArtifactCatalog.EncryptionProgress(2, 2));
    assertThat(catalog.find(id("a")).orElseThrow().blob()).isEqualTo(copy);
    assertThat(catalog.find(id("b")).orElseThrow().blob()).isEqualTo(copy);
    assertThat(catalog.find(otherId).orElseThrow().blob()).isEqualTo(blob);
    assertThat(waiting(blob)).isEmpty();
    // Again, as after a crash between the transaction and its answer: nothing is taken twice.
    assertThat(catalog.moveToEncrypted(content, newEncryptedBlob(text))).isFalse();
    assertThat(catalog.shareEncrypted(content)).isTrue();
    assertThat(retired(blob)).isFalse();
    catalog.remove(otherId);
    assertThat(retired(blob)).isTrue();
    assertThat(retired(copy)).isFalse();
  }

  @Test
  void aPlainBlobThatNobodyHasAnyMoreIsRetiredByTheMove() {
    create(false);
    BlobRef blob = newBlob(text);
    added("a", blob);
    catalog.encryptRepository(repository);
    ArtifactCatalog.PlainContent content = waiting(blob).orElseThrow();
    assertThat(catalog.moveToEncrypted(content, newEncryptedBlob(text))).isTrue();
    assertThat(retired(blob)).isTrue();
  }

  @Test
  void anUploadThatWasPlainWhenTheRepositoryChangedIsFoundByTheNextRun() {
    create(false);
    catalog.encryptRepository(repository);
    BlobRef blob = newBlob(text);
    assertThat(added("a", blob).blob()).isEqualTo(blob);
    assertThat(waiting(blob)).isPresent();
  }

  @Test
  void marksSuspects() {
    create(false);
    BlobRef blob = newBlob(text);
    added("a", blob);
    long before = register.suspectCount();
    assertThat(register.suspects(List.of(blob.key()))).isEmpty();
    register.suspect(blob);
    register.suspect(blob);
    register.suspect(newBlob("nowhere"));
    assertThat(register.suspects(List.of(blob.key(), newBlob("x").key())))
        .containsExactly(blob.key());
    assertThat(register.suspects(List.of())).isEmpty();
    assertThat(register.suspectCount()).isEqualTo(before + 1);
  }

  @Test
  void clearsSuspects() {
    create(false);
    BlobRef blob = newBlob(text);
    added("a", blob);
    assertThat(isListedAsSuspect(blob)).isFalse();
    register.suspect(blob);
    assertThat(isListedAsSuspect(blob)).isTrue();
    assertThat(register.suspectsAfter(blob.key(), 1000))
        .noneMatch(each -> each.blob().equals(blob));
    register.clear(blob);
    register.clear(newBlob("nowhere"));
    assertThat(isListedAsSuspect(blob)).isFalse();
    assertThat(register.suspects(List.of(blob.key()))).isEmpty();
    register.suspect(blob);
    assertThat(isListedAsSuspect(blob)).isTrue();
    assertThat(register.suspectsAfter("", 1)).hasSize(1);
    catalog.remove(id("a"));
    assertThat(isListedAsSuspect(blob)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void uploadReplacesSuspectBlob(boolean isEncrypted) {
    create(isEncrypted);
    BlobRef lost = isEncrypted ? newEncryptedBlob(text) : newBlob(text);
    BlobRef fresh = isEncrypted ? newEncryptedBlob(text) : newBlob(text);
    added("a", lost);
    shared("b");
    // The caches know them.
    assertThat(catalog.find(id("a")).orElseThrow().blob()).isEqualTo(lost);
    assertThat(catalog.findContent(digests(text).sha256()).orElseThrow().blob()).isEqualTo(lost);
    assertThat(catalog.repair(fresh, digests(text))).isFalse();
    assertThat(register.suspect(lost)).isTrue();
    assertThat(catalog.share(id("a"), "text/plain", digests(text))).isEmpty();
    assertThat(catalog.share(id("c"), "text/plain", digests(text))).isEmpty();
    assertThat(catalog.share(id("a"), "text/plain", digests(text + "other")))
        .containsInstanceOf(Addition.PathTaken.class);
    assertThat(catalog.repair(fresh, digests(text))).isTrue();
    assertThat(catalog.repair(isEncrypted ? newEncryptedBlob(text) : newBlob(text), digests(text)))
        .isFalse();
    for (String path : List.of("a", "b")) {
      assertThat(catalog.find(id(path)).orElseThrow().blob()).isEqualTo(fresh);
    }
    assertThat(catalog.findContent(digests(text).sha256()).orElseThrow().blob()).isEqualTo(fresh);
    assertThat(added("c", fresh).blob()).isEqualTo(fresh);
    assertThat(register.find(digests(text).sha256(), isEncrypted)).contains(fresh);
    assertThat(register.find(digests(text).sha256(), !isEncrypted)).isEmpty();
    assertThat(register.known(List.of(lost.key(), fresh.key()))).containsExactly(fresh.key());
    // A download of the old one says so late.
    assertThat(register.suspect(lost)).isFalse();
    assertThat(register.suspects(List.of(fresh.key()))).isEmpty();
  }

  @Test
  void lostBlobThatIsRetiredIsReplacedAndTakenUp() {
    create(false);
    BlobRef lost = newBlob(text);
    BlobRef fresh = newBlob(text);
    added("a", lost);
    catalog.remove(id("a"));
    register.suspect(lost);
    Instant repairedAt = now();
    assertThat(catalog.repair(fresh, digests(text))).isTrue();
    assertThat(retired(fresh)).isTrue();
    // Its grace period begins: a sweep must not come between the repair and the artifact's row.
    assertThat(register.retiredBefore(repairedAt, 10_000)).doesNotContain(fresh);
    assertThat(added("a", fresh).blob()).isEqualTo(fresh);
    assertThat(retired(fresh)).isFalse();
  }

  @Test
  void artifactsAreNotMovedToEncryptedBlobThatIsSuspect() {
    create(false);
    BlobRef plain = newBlob(text);
    added("a", plain);
    Repository vault = catalog.createRepository(repository + "v", true, true).orElseThrow();
    BlobRef lost = newEncryptedBlob(text);
    catalog.add(new ArtifactId(vault.name(), "a"), "text/plain", lost, digests(text));
    catalog.encryptRepository(repository);
    ArtifactCatalog.PlainContent content = waiting(plain).orElseThrow();
    register.suspect(lost);
    assertThat(catalog.shareEncrypted(content)).isFalse();
    BlobRef fresh = newEncryptedBlob(text);
    assertThat(catalog.moveToEncrypted(content, fresh)).isFalse();
    assertThat(catalog.repair(fresh, digests(text))).isTrue();
    assertThat(catalog.shareEncrypted(content)).isTrue();
    assertThat(catalog.find(id("a")).orElseThrow().blob()).isEqualTo(fresh);
    assertThat(retired(plain)).isTrue();
  }

  private boolean isListedAsSuspect(BlobRef blob) {
    return register
        .suspectsAfter("", 1000)
        .contains(new BlobRegister.Suspect(blob, digests(text).sha256()));
  }

  @Test
  void findsPlainBlobsWithoutChecksums() {
    BlobChecksums checksums = application.bean(BlobChecksums.class);
    create(false);
    BlobRef blob = newBlob(text);
    added("a", blob);
    assertThat(checksums.missing("", 1000))
        .filteredOn(each -> each.blob().equals(blob))
        .singleElement()
        .satisfies(each -> assertThat(each.sha256()).isEqualTo(digests(text).sha256()));
    assertThat(checksums.missing(blob.key(), 1000)).noneMatch(each -> each.blob().equals(blob));
    checksums.put(blob.key(), new byte[4]);
    assertThat(checksums.missing("", 1000)).noneMatch(each -> each.blob().equals(blob));
    checksums.delete(blob.key());
    register.suspect(blob);
    assertThat(checksums.missing("", 1000)).noneMatch(each -> each.blob().equals(blob));
  }

  private Optional<ArtifactCatalog.PlainContent> waiting(BlobRef blob) {
    return catalog.plainInEncrypted("", 1000).stream()
        .filter(content -> content.blob().equals(blob))
        .findFirst();
  }

  private boolean retired(BlobRef blob) {
    return register.retiredBefore(now().plusSeconds(1), 10_000).contains(blob);
  }

  @Test
  void aForgedDigestGivesNoAccess() {
    Repository victim = catalog.createRepository(repository, true, false).orElseThrow();
    added("a", newBlob(text));
    application.clock().advance(Duration.ofSeconds(1));
    Repository attacker = catalog.createRepository(repository + "x", true, false).orElseThrow();
    Map<DigestAlgorithm, Digest> forged = new EnumMap<>(digests("forged" + repository).values());
    forged.put(DigestAlgorithm.MD5, digests(text).get(DigestAlgorithm.MD5).orElseThrow());
    catalog.add(
        new ArtifactId(attacker.name(), "a"), "text/plain", newBlob("forged"), new Digests(forged));
    assertThat(catalog.findContent(digests(text).get(DigestAlgorithm.MD5).orElseThrow()))
        .hasValueSatisfying(content -> {
          assertThat(content.digests()).isEqualTo(digests(text));
          assertThat(content.repositories()).containsExactly(victim);
        });
  }

  @Test
  void listsByCodePointInPages() {
    create(false);
    List<String> paths =
        new ArrayList<>(
            List.of(
                "a",
                "a%",
                "a%b",
                "a_b",
                "aXb",
                "a/1",
                "a/2",
                "b",
                "B",
                "\u00e9",
                "e\u0301",
                "\uFFFD",
                "\uE000",
                Character.toString(0x1F600),
                Character.toString(0x10FFFF),
                Character.toString(0x10FFFF) + "x",
                "a" + Character.toString(0x10FFFF)));
    paths.forEach(path -> added(path, newBlob(text)));
    paths.sort(Comparator.comparing((String path) -> path.codePoints().toArray(), Arrays::compare));
    assertThat(pathsOf("", 100)).isEqualTo(paths);
    assertThat(pathsOf("", 3)).isEqualTo(paths);
    for (String prefix :
        List.of("a", "a%", "a_", "a/", "\uE000", Character.toString(0x10FFFF), "zzz", "a\uFFFD")) {
      assertThat(pathsOf(prefix, 2))
          .as(prefix)
          .isEqualTo(paths.stream().filter(path -> path.startsWith(prefix)).toList());
    }
    Scope scope = new Scope(Set.of(), Set.of("a", "a_*", "\uE000*", "b"));
    List<String> inScope = paths.stream().filter(path -> scope.includes(id(path))).toList();
    assertThat(inScope).hasSizeGreaterThan(4);
    for (int limit = 1; limit < 5; limit++) {
      assertThat(pathsOf(scope.ranges(""), limit)).isEqualTo(inScope);
    }
    assertThat(pathsOf(scope.ranges("c"), 1)).isEmpty();
    assertThat(catalog.list(repository, "", "a", 0)).isEmpty();
    assertThat(catalog.list("no-" + repository, "", "", 10)).isEmpty();
    assertThatThrownBy(() -> catalog.list(repository, "\uD800", "", 10))
        .isInstanceOf(InvalidNameException.class);
  }

  @Test
  void asksTheDatabaseSeldom() {
    create(false);
    for (int i = 0; i < 20; i++) {
      catalog.add(id("p" + i), "text/plain", newBlob(text), digests(text + i));
    }
    assertThat(statementsOf(() -> catalog.find(id("p1")))).isEqualTo(1);
    assertThat(statementsOf(() -> catalog.list(repository, "", "", 20))).isEqualTo(2);
    assertThat(statementsOf(() -> catalog.findContent(digests(text + 1).sha256()))).isEqualTo(2);
    assertThat(statementsOf(() -> register.known(List.of("a", "b", "c")))).isEqualTo(1);
    assertThat(statementsOf(() -> catalog.find(id("p1"), Reach.MEMORY))).isZero();
    assertThat(statementsOf(() -> catalog.usedPath(id("p1")))).isLessThanOrEqualTo(1);
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
    List<Callable<Optional<Artifact>>> removals = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      ArtifactId id = id("p" + i);
      added(id.path(), blob);
      removals.add(() -> catalog.remove(id));
      removals.add(() -> catalog.remove(id));
    }
    assertThat(together(removals).stream().filter(Optional::isPresent)).hasSize(3);
    assertThat(retired()).contains(blob);
  }

  @Test
  void hasOneInstallationId() {
    assertThat(application.bean(InstallationId.class).value().version()).isEqualTo(4);
  }

  private void create(boolean encrypted) {
    assertThat(catalog.createRepository(repository, true, encrypted)).isPresent();
  }

  private ArtifactId id(String path) {
    return new ArtifactId(repository, path);
  }

  private Artifact added(String path, BlobRef blob) {
    Addition addition = catalog.add(id(path), "application/octet-stream", blob, digests(text));
    assertThat(addition).isInstanceOf(Addition.Added.class);
    return ((Addition.Added) addition).artifact();
  }

  private Artifact shared(String path) {
    Optional<Addition> addition =
        catalog.share(id(path), "application/octet-stream", digests(text));
    assertThat(addition).containsInstanceOf(Addition.Added.class);
    return ((Addition.Added) addition.orElseThrow()).artifact();
  }

  private List<String> pathsOf(String prefix, int limit) {
    return pathsOf(List.of(PathRange.beginningWith(prefix)), limit);
  }

  private List<String> pathsOf(List<PathRange> ranges, int limit) {
    List<String> paths = new ArrayList<>();
    List<Artifact> page = catalog.list(repository, ranges, "", limit);
    while (!page.isEmpty()) {
      page.forEach(artifact -> paths.add(artifact.path()));
      page = catalog.list(repository, ranges, paths.getLast(), limit);
    }
    return paths;
  }

  private static List<BlobRef> retired() {
    return register.retiredBefore(now().plusSeconds(1), 10_000);
  }

  private static Instant now() {
    return application.clock().instant().truncatedTo(ChronoUnit.MICROS);
  }

  private static long statementsOf(Runnable action) {
    long before = application.statements();
    action.run();
    return application.statements() - before;
  }

  private static <T> List<T> together(List<Callable<T>> actions) throws Exception {
    CyclicBarrier barrier = new CyclicBarrier(actions.size());
    try (ExecutorService threads = Executors.newFixedThreadPool(actions.size())) {
      List<Future<T>> futures = new ArrayList<>();
      for (Callable<T> action : actions) {
        futures.add(
            threads.submit(() -> {
              barrier.await();
              return action.call();
            }));
      }
      List<T> results = new ArrayList<>();
      for (Future<T> future : futures) {
        results.add(future.get());
      }
      return results;
    }
  }
}
