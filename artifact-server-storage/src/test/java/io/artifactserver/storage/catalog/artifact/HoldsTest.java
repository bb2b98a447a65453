package io.artifactserver.storage.catalog.artifact;

import static io.artifactserver.storage.catalog.TestContent.digests;
import static io.artifactserver.storage.catalog.TestContent.newBlob;
import static io.artifactserver.storage.catalog.TestContent.newEncryptedBlob;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.ArtifactCatalog.Addition;
import io.artifactserver.core.catalog.ArtifactCatalog.HoldResult;
import io.artifactserver.core.catalog.ArtifactCatalog.PlainContent;
import io.artifactserver.core.catalog.ArtifactCatalog.Removal;
import io.artifactserver.core.catalog.Hold;
import io.artifactserver.core.catalog.PathPolicy;
import io.artifactserver.core.catalog.PathRange;
import io.artifactserver.core.catalog.Support;
import io.artifactserver.core.catalog.Support.Release;
import java.time.Instant;
import java.time.YearMonth;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;

/** A held artifact stays, whatever way its deletion takes. */
class HoldsTest extends JdbcCatalogFixture {
  /** The database's clock is the real one. */
  private final Instant inAnHour = Instant.now().plus(1, ChronoUnit.HOURS);

  private final Hold hold = new Hold(inAnHour, "recall 7");

  @Test
  void aHeldArtifactIsNotRemovedAndItsBytesAreKept() {
    create(false);
    BlobRef blob = newBlob(text);
    added("a", blob);
    assertThat(catalog.hold(id("a"), hold)).isInstanceOf(HoldResult.Holds.class);
    assertThat(catalog.remove(id("a"))).isEqualTo(new Removal.Held(hold));
    assertThat(catalog.find(id("a"))).map(Artifact::hold).contains(hold);
    assertThat(catalog.usedPath(id("a"))).isEmpty();
    assertThat(retired(blob)).isFalse();
    assertThat(register.forget(blob, Instant.MAX)).isFalse();
    assertThat(register.known(List.of(blob.key()))).containsExactly(blob.key());

    // Another artifact with the same bytes has no hold.
    shared("b");
    assertThat(catalog.remove(id("b"))).isInstanceOf(Removal.Removed.class);
    assertThat(retired(blob)).isFalse();
  }

  @Test
  void aHoldIsExtendedAndNeverShortened() {
    create(false);
    added("a", newBlob(text));
    assertThat(catalog.hold(id("a"), hold)).isInstanceOf(HoldResult.Holds.class);
    Hold longer = new Hold(inAnHour.plusSeconds(1), "recall 8");
    assertThat(catalog.hold(id("a"), longer)).isInstanceOf(HoldResult.Holds.class);
    assertThat(catalog.hold(id("a"), hold)).isEqualTo(new HoldResult.Longer(longer));
    assertThat(catalog.hold(id("a"), new Hold(Instant.EPOCH, "past")))
        .isEqualTo(new HoldResult.Longer(longer));
    assertThat(catalog.find(id("a"))).map(Artifact::hold).contains(longer);
    assertThat(catalog.hold(id("none"), hold)).isEqualTo(new HoldResult.Absent());
    assertThat(catalog.listHeld(repository, List.of(PathRange.beginningWith("")), "", 10))
        .extracting(Artifact::path)
        .containsExactly("a");
    assertThat(catalog.listHeld(repository, List.of(PathRange.beginningWith("b")), "", 10))
        .isEmpty();
    assertThat(catalog.listHeld(repository, List.of(PathRange.beginningWith("")), "a", 10))
        .isEmpty();
  }

  @Test
  void anEndedHoldKeepsNothing() {
    create(false);
    added("a", newBlob(text));
    Hold ended = new Hold(Instant.now().minusSeconds(60), "ended");
    assertThat(catalog.hold(id("a"), ended)).isInstanceOf(HoldResult.Holds.class);
    assertThat(catalog.find(id("a")).orElseThrow().hold()).isNull();
    assertThat(catalog.listHeld(repository, List.of(PathRange.beginningWith("")), "", 10))
        .isEmpty();
    assertThat(catalog.remove(id("a"))).isInstanceOf(Removal.Removed.class);
    // It does not come back with the path.
    assertThat(shared("a").hold()).isNull();
  }

  @Test
  void theDatabaseItselfRefusesWhatTheServerWouldNotDo() {
    create(false);
    added("a", newBlob(text));
    catalog.hold(id("a"), hold);
    JdbcClient jdbc = application.bean(JdbcClient.class);
    for (String statement :
        List.of(
            "delete from artifact where hold_reason = 'recall 7'",
            "update artifact set held_until = now() where hold_reason = 'recall 7'",
            "update artifact set held_until = null, hold_reason = null"
                + " where hold_reason = 'recall 7'",
            "delete from blob b using artifact a where a.blob_id = b.id and a.path = 'a'",
            "delete from repository r using artifact a"
                + " where a.repository_id = r.id and a.hold_reason = 'recall 7'")) {
      assertThatThrownBy(() -> jdbc.sql(statement).update())
          .as(statement)
          .isInstanceOf(DataAccessException.class);
    }
    assertThat(catalog.find(id("a"))).map(Artifact::hold).contains(hold);
  }

  @Test
  void otherBytesDoNotTakeTheHeldOnesPlace() {
    PathPolicy mutable = new PathPolicy(true, PathPolicy.DEFAULT.maxAge());
    assertThat(catalog.createRepository(repository, true, false, mutable)).isPresent();
    String other = "other " + text;
    BlobRef blob = newBlob(text);
    added("a", blob);
    catalog.hold(id("a"), hold);
    assertThat(catalog.add(id("a"), "text/plain", newBlob(other), digests(other)))
        .isInstanceOf(Addition.PathTaken.class);

    // A repair brings the same bytes.
    register.suspect(blob);
    BlobRef fresh = newBlob(text);
    assertThat(catalog.repair(fresh, digests(text))).isTrue();
    assertThat(catalog.remove(id("a"))).isEqualTo(new Removal.Held(hold));

    // And so does the encryption of the repository.
    catalog.encryptRepository(repository);
    BlobRef encrypted = newEncryptedBlob(text);
    assertThat(catalog.moveToEncrypted(new PlainContent(fresh, digests(text)), encrypted)).isTrue();
    assertThat(catalog.find(id("a")).orElseThrow().hold()).isEqualTo(hold);
    assertThat(catalog.remove(id("a"))).isEqualTo(new Removal.Held(hold));
  }

  @Test
  void aSecurityUpdateIsHeldForTenYearsOrUntilItsSupportEnds() {
    create(false);
    added("a", newBlob(text));
    Instant now = now();
    assertThat(supported(new Support(Release.FEATURE, YearMonth.of(2030, 5)))).isNull();
    assertThat(supported(new Support(Release.SECURITY, YearMonth.of(2030, 5))))
        .extracting(Hold::until)
        .isEqualTo(now.plus(3653, ChronoUnit.DAYS));
    Support late = new Support(Release.SECURITY, YearMonth.of(2041, 12));
    Hold atLast =
        new Hold(Instant.parse("2042-01-01T00:00:00Z"), "Security update, supported until 2041-12");
    assertThat(supported(late)).isEqualTo(atLast);
    // Another name later takes nothing back.
    assertThat(supported(new Support(Release.FEATURE, YearMonth.of(2026, 5)))).isEqualTo(atLast);
    assertThat(catalog.support(id("none"), late)).isEmpty();
  }

  private @Nullable Hold supported(Support support) {
    Artifact artifact = catalog.support(id("a"), support).orElseThrow();
    assertThat(artifact.support()).isEqualTo(support);
    return artifact.hold();
  }

  /** Either the hold comes first and the artifact stays, or there is nothing to hold. */
  @RepeatedTest(40)
  void aHoldAndARemovalThatRaceHaveOneWinner() throws Exception {
    create(false);
    added("a", newBlob(text));
    List<Callable<Object>> actions =
        List.of(
            () -> catalog.hold(id("a"), hold),
            () -> catalog.remove(id("a")),
            () -> catalog.remove(id("a")));
    List<Object> results = together(actions);
    boolean isHeld = results.getFirst() instanceof HoldResult.Holds;
    assertThat(catalog.find(id("a")).isPresent()).isEqualTo(isHeld);
    assertThat(results.stream().filter(Removal.Removed.class::isInstance)).hasSize(isHeld ? 0 : 1);
  }
}
