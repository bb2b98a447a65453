package io.artifactserver.storage.catalog.artifact;

import static io.artifactserver.storage.catalog.TestContent.digests;
import static io.artifactserver.storage.catalog.TestContent.newBlob;
import static io.artifactserver.storage.catalog.TestContent.newEncryptedBlob;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.blob.BlobChecksums;
import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.ArtifactCatalog.Addition;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.BlobRegister;
import io.artifactserver.core.catalog.Repository;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Artifacts that move to an encrypted blob, or to one that is intact. */
class MovedBlobsTest extends JdbcCatalogFixture {
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
}
