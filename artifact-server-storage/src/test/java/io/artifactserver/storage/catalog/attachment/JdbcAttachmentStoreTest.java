package io.artifactserver.storage.catalog.attachment;

import static io.artifactserver.storage.catalog.TestContent.digests;
import static io.artifactserver.storage.catalog.TestContent.newBlob;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.artifactserver.core.attachment.AffectedDevice;
import io.artifactserver.core.attachment.AffectedQuestion;
import io.artifactserver.core.attachment.Attachment;
import io.artifactserver.core.attachment.AttachmentBounds;
import io.artifactserver.core.attachment.AttachmentKind;
import io.artifactserver.core.attachment.AttachmentStore;
import io.artifactserver.core.attachment.AttachmentStore.Addition;
import io.artifactserver.core.attachment.AttachmentStore.Removal;
import io.artifactserver.core.attachment.DocumentReader.Affected;
import io.artifactserver.core.attachment.NewAttachment;
import io.artifactserver.core.attachment.TrustedKey;
import io.artifactserver.core.attachment.TrustedKeyStore;
import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.Hold;
import io.artifactserver.core.catalog.Labels;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.storage.catalog.CatalogApplication;
import io.artifactserver.storage.postgres.TestDatabase;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;

class JdbcAttachmentStoreTest {
  private static final AttachmentBounds BOUNDS = new AttachmentBounds(1_000, 3, Long.MAX_VALUE);

  private static CatalogApplication application;
  private static ArtifactCatalog catalog;
  private static AttachmentStore store;
  private static JdbcClient jdbc;

  private final String repository = "r" + UUID.randomUUID();

  @BeforeAll
  static void start() {
    application =
        new CatalogApplication(TestDatabase.create(), "artifact-server.catalog.cache-size=0");
    catalog = application.bean(ArtifactCatalog.class);
    store = application.bean(AttachmentStore.class);
    jdbc = application.bean(JdbcClient.class);
  }

  @AfterAll
  static void stop() {
    application.close();
  }

  @BeforeEach
  void create() {
    assertThat(catalog.createRepository(repository, true, false)).isPresent();
  }

  private Artifact artifact(String path) {
    String text = repository + path;
    catalog.add(new ArtifactId(repository, path), "text/plain", newBlob(text), digests(text));
    return catalog.find(new ArtifactId(repository, path)).orElseThrow();
  }

  private static NewAttachment attachment(AttachmentKind kind, String text, Affected... affected) {
    return new NewAttachment(
        new Attachment(
            digests(text).sha256(),
            kind,
            "text/plain",
            text.length(),
            "format",
            Labels.of(Map.of("b", "2", "a", "1")),
            now()),
        text.getBytes(StandardCharsets.UTF_8),
        new byte[0],
        List.of(affected));
  }

  private static Instant now() {
    return application.clock().instant().truncatedTo(ChronoUnit.MICROS);
  }

  private static Digest sha256(String text) {
    return digests(text).sha256();
  }

  @Test
  void anAttachmentIsOfTheBytesThatAPathHas() {
    Artifact artifact = artifact("a");
    NewAttachment notes = attachment(AttachmentKind.NOTES, "notes");
    assertThat(store.add(artifact, notes, BOUNDS))
        .isEqualTo(new Addition.Added(notes.attachment()));
    assertThat(store.add(artifact, notes, BOUNDS))
        .isEqualTo(new Addition.Present(notes.attachment()));
    assertThat(store.list(artifact)).containsExactly(notes.attachment());
    assertThat(store.content(artifact, sha256("notes")))
        .hasValueSatisfying(content -> assertThat(content).asString().isEqualTo("notes"));
    assertThat(store.list(artifact("b"))).isEmpty();
    assertThat(store.remove(artifact, sha256("other"))).isEqualTo(new Removal.Absent());
    assertThat(store.remove(artifact, sha256("notes"))).isEqualTo(new Removal.Removed());
    assertThat(store.list(artifact)).isEmpty();
    assertThat(store.content(artifact, sha256("notes"))).isEmpty();
  }

  @Test
  void thereAreBounds() {
    Artifact artifact = artifact("a");
    for (int i = 0; i < BOUNDS.maxCount(); i++) {
      assertThat(store.add(artifact, attachment(AttachmentKind.NOTES, "n" + i), BOUNDS))
          .isInstanceOf(Addition.Added.class);
    }
    assertThat(store.add(artifact, attachment(AttachmentKind.NOTES, "more"), BOUNDS))
        .isEqualTo(new Addition.TooMany());
    assertThat(
            store.add(
                artifact("b"),
                attachment(AttachmentKind.NOTES, "more"),
                new AttachmentBounds(1_000, 3, 4)))
        .isEqualTo(new Addition.Full());
  }

  @Test
  void aDeletionThatIsTakenBackFindsThemAndOthersGo() {
    Artifact artifact = artifact("a");
    store.add(artifact, attachment(AttachmentKind.NOTES, "notes"), BOUNDS);
    catalog.remove(artifact.id());
    assertThat(store.add(artifact, attachment(AttachmentKind.NOTES, "late"), BOUNDS))
        .isEqualTo(new Addition.NoArtifact());
    store.deleteOrphans(now().minus(Duration.ofMinutes(1)));
    assertThat(catalog.undelete(catalog.deleted(artifact.id()).orElseThrow())).isPresent();
    assertThat(store.list(artifact)).hasSize(1);
    catalog.remove(artifact.id());
    store.deleteOrphans(now().plusSeconds(1));
    assertThat(store.list(artifact)).isEmpty();
  }

  @Test
  void aHoldKeepsThemAndTheDatabaseItselfDoes() {
    Artifact artifact = artifact("a");
    store.add(artifact, attachment(AttachmentKind.NOTES, "notes"), BOUNDS);
    Hold hold = new Hold(Instant.now().plus(Duration.ofHours(1)), "recall");
    catalog.hold(artifact.id(), hold);
    assertThat(store.remove(artifact, sha256("notes"))).isEqualTo(new Removal.Held(hold));
    for (String statement :
        List.of(
            "delete from attachment where path = :path and sha256 = :sha256",
            "update attachment set content = '', length = 0 where path = :path and sha256 = :sha256")) {
      assertThatThrownBy(() ->
              jdbc.sql(statement)
                  .param("path", "a")
                  .param("sha256", sha256("notes").bytes())
                  .update())
          .isInstanceOf(DataAccessException.class)
          .rootCause()
          .hasMessageContaining("held");
    }
    assertThat(store.add(artifact, attachment(AttachmentKind.NOTES, "more"), BOUNDS))
        .isInstanceOf(Addition.Added.class);
    assertThat(store.list(artifact)).hasSize(2);
  }

  @Test
  void keysAreKeptByRepository() {
    TrustedKeyStore keys = application.bean(TrustedKeyStore.class);
    List<TrustedKey> two =
        List.of(
            new TrustedKey("a", TrustedKey.Format.CMS, "x"),
            new TrustedKey("b", TrustedKey.Format.MINISIGN, "y"));
    assertThat(keys.put(repository, two)).isTrue();
    assertThat(keys.put("absent", two)).isFalse();
    assertThat(keys.all()).containsEntry(repository, two);
    assertThat(keys.put(repository, List.of())).isTrue();
    assertThat(keys.all()).doesNotContainKey(repository);
  }

  @Test
  void signaturesComeWithWhatTheyAreOf() {
    Artifact artifact = artifact("1/a");
    store.add(artifact, attachment(AttachmentKind.SIGNATURE, "signature"), BOUNDS);
    store.add(artifact, attachment(AttachmentKind.NOTES, "notes"), BOUNDS);
    assertThat(store.signatures(repository, List.of(artifact, artifact("1/b"))))
        .singleElement()
        .satisfies(signature -> {
          assertThat(signature.sha256()).isEqualTo(sha256("signature"));
          assertThat(signature.content()).asString().isEqualTo("signature");
          assertThat(signature.digest()).isEmpty();
        });
  }

  /** Devices have what they were sent last, and of half an artifact they have nothing. */
  @Test
  void devicesThatStillHaveWhatAVexCallsAffected() {
    Artifact bad = artifact("1.0/fw.img");
    Artifact worse = artifact("1.1/fw.img");
    Artifact good = artifact("1.2/fw.img");
    Artifact other = artifact("1.2/other.img");
    store.add(
        bad,
        attachment(
            AttachmentKind.VEX,
            "vex" + repository,
            new Affected("CVE-1", bad.digests().sha256()),
            new Affected("CVE-1", worse.digests().sha256()),
            new Affected("CVE-2", worse.digests().sha256())),
        BOUNDS);
    has("stays", bad, bad.length(), 0);
    has("half", bad, bad.length() - 1, 0);
    has("updated", bad, bad.length(), 0);
    has("updated", good, good.length(), 1);
    has("began-update", bad, bad.length(), 0);
    has("began-update", good, good.length() - 1, 1);
    has("went-back", good, good.length(), 0);
    has("went-back", bad, bad.length(), 1);
    has("from-bad-to-worse", bad, bad.length(), 0);
    has("from-bad-to-worse", worse, worse.length(), 1);
    has("other-file", bad, bad.length(), 0);
    has("other-file", other, other.length(), 1);
    has("never-had-it", good, good.length(), 0);
    assertThat(affected("", "", 100))
        .extracting(AffectedDevice::device)
        .containsExactly("began-update", "from-bad-to-worse", "other-file", "stays", "went-back");
    assertThat(affected("CVE-2", "", 100))
        .extracting(AffectedDevice::device)
        .containsExactly("from-bad-to-worse");
    assertThat(affected("CVE-3", "", 100)).isEmpty();
    assertThat(affected("", "from-bad-to-worse", 2))
        .extracting(AffectedDevice::device, AffectedDevice::path)
        .containsExactly(tuple("other-file", "1.0/fw.img"), tuple("stays", "1.0/fw.img"));
    assertThat(store.hasVex(repository, sha256("vex" + repository))).isTrue();
    assertThat(store.hasVex("absent", sha256("vex" + repository))).isFalse();
    long before = application.statements();
    affected("", "", 100);
    assertThat(application.statements() - before).isEqualTo(1);
  }

  private List<AffectedDevice> affected(String vulnerability, String after, int limit) {
    return store.affected(
        new AffectedQuestion(repository, sha256("vex" + repository), vulnerability, after, limit));
  }

  private void has(String device, Artifact artifact, long bytes, int minute) {
    jdbc.sql(
            """
            insert into progress (
              repository_id, sha256, device, delivered, updated_at, stretch_began_at, bytes)
            select id, :sha256, :device, '', timestamptz '2026-01-01' + :minute * interval '1 minute',
              timestamptz '2026-01-01', :bytes
            from repository where name = :repository
            """)
        .param("sha256", artifact.digests().sha256().bytes())
        .param("device", device)
        .param("minute", minute)
        .param("bytes", bytes)
        .param("repository", repository)
        .update();
  }
}
