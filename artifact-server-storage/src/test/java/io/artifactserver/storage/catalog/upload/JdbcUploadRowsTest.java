package io.artifactserver.storage.catalog.upload;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.ingest.IngestRequest;
import io.artifactserver.core.upload.UnfinishedUpload;
import io.artifactserver.core.upload.UploadProgress;
import io.artifactserver.core.upload.UploadRows;
import io.artifactserver.storage.catalog.CatalogApplication;
import io.artifactserver.storage.postgres.TestDatabase;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class JdbcUploadRowsTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  private CatalogApplication application;
  private UploadRows rows;

  @BeforeEach
  void start() {
    application = new CatalogApplication(TestDatabase.create());
    rows = application.bean(UploadRows.class);
  }

  @AfterEach
  void stop() {
    application.close();
  }

  @Test
  void keepsWhatAnUploadIsFor() {
    UnfinishedUpload upload = upload(1, 1_000);
    rows.add(upload);
    assertThat(rows.find(upload.id()).orElseThrow()).usingRecursiveComparison().isEqualTo(upload);
    assertThat(rows.find(id(2))).isEmpty();
    assertThat(rows.blobKeys()).containsExactly(upload.blobKey());
  }

  @Test
  void keepsHowFarAnUploadHasCome() {
    rows.add(upload(1, 1_000));
    byte[] large = new byte[3 << 20];
    large[7] = 1;
    UploadProgress progress = new UploadProgress(700, new byte[] {1, 2}, large, true, 0);
    assertThat(rows.advance(id(1), progress, NOW.plusSeconds(60))).isTrue();
    UnfinishedUpload found = rows.find(id(1)).orElseThrow();
    assertThat(found.progress()).usingRecursiveComparison().isEqualTo(progress);
    assertThat(found.expiresAt()).isEqualTo(NOW.plusSeconds(60));
    assertThat(rows.advance(id(2), progress, NOW)).isFalse();
    rows.remove(id(1));
    rows.remove(id(1));
    assertThat(rows.advance(id(1), progress, NOW)).isFalse();
  }

  @Test
  void keepsALengthAndDigestsThatAreDeclaredLater() {
    rows.add(upload(1, IngestRequest.UNKNOWN_LENGTH));
    assertThat(rows.find(id(1)).orElseThrow().request().declaredLength())
        .isEqualTo(IngestRequest.UNKNOWN_LENGTH);
    Digest sha512 = Digest.of(DigestAlgorithm.SHA_512, new byte[64]);
    IngestRequest declared =
        rows.find(id(1)).orElseThrow().request().ofLength(12).expecting(List.of(sha512));
    assertThat(declared.expectedDigests()).hasSize(3).contains(sha512);
    rows.declare(id(1), declared);
    assertThat(rows.find(id(1)).orElseThrow().request()).isEqualTo(declared);
  }

  @Test
  void completeUploadsAreRememberedAndNoLongerUnfinished() {
    for (int i = 1; i <= 4; i++) {
      rows.add(upload(i, 1_000));
    }
    UploadProgress progress = new UploadProgress(1_000, new byte[] {1}, new byte[] {2}, false, 0);
    for (int i = 1; i <= 3; i++) {
      assertThat(rows.advance(id(i), progress, NOW)).isTrue();
      rows.complete(id(i), NOW.plusSeconds(i));
    }
    assertThat(ids(rows.unfinished("", 10))).containsExactly(id(4));
    assertThat(rows.blobKeys()).hasSize(1);
    UnfinishedUpload complete = rows.find(id(1)).orElseThrow();
    assertThat(complete.isComplete()).isTrue();
    assertThat(complete.progress().position()).isEqualTo(1_000);
    assertThat(complete.progress().hasCheckpoint()).isFalse();
    assertThat(rows.advance(id(1), progress, NOW)).isFalse();
    assertThat(rows.removeCompleteBut(2)).isEqualTo(1);
    assertThat(rows.find(id(1))).isEmpty();
    assertThat(rows.removeCompleteBut(2)).isZero();
    assertThat(rows.find(id(4))).isPresent();
  }

  @Test
  void pagesThroughUploadsAndFindsThoseThatExpired() {
    for (int i = 1; i <= 5; i++) {
      rows.add(upload(i, 1_000));
    }
    assertThat(ids(rows.unfinished("", 2))).containsExactly(id(1), id(2));
    assertThat(ids(rows.unfinished(id(2), 2))).containsExactly(id(3), id(4));
    assertThat(ids(rows.unfinished(id(4), 2))).containsExactly(id(5));
    assertThat(ids(rows.expiredBefore(NOW.plusSeconds(3), 10))).containsExactly(id(1), id(2));
    assertThat(ids(rows.expiredBefore(NOW.plusSeconds(3), 1))).containsExactly(id(1));
  }

  private static List<String> ids(List<UnfinishedUpload> uploads) {
    return uploads.stream().map(UnfinishedUpload::id).toList();
  }

  private static String id(int number) {
    return "%032x".formatted(number);
  }

  /**
   * An upload that is made of it needs its bytes, and its room is reserved after a restart, too.
   */
  @Test
  void aPartStaysWhenItIsComplete() {
    UnfinishedUpload part = upload(1, 1_000, true, List.of());
    rows.add(part);
    rows.add(upload(2, IngestRequest.UNKNOWN_LENGTH, false, List.of(id(1), id(3))));
    rows.complete(id(1), NOW);
    assertThat(ids(rows.unfinished("", 10))).containsExactly(id(1), id(2));
    assertThat(rows.blobKeys()).hasSize(2);
    assertThat(rows.removeCompleteBut(0)).isZero();
    UploadProgress progress = new UploadProgress(1_000, new byte[] {1}, new byte[] {2}, false, 1);
    assertThat(rows.advance(id(2), progress, NOW)).isTrue();
    UnfinishedUpload whole = rows.find(id(2)).orElseThrow();
    assertThat(whole.parts()).containsExactly(id(1), id(3));
    assertThat(whole.progress().parts()).isEqualTo(1);
  }

  private static UnfinishedUpload upload(int number, long length) {
    return upload(number, length, false, List.of());
  }

  private static UnfinishedUpload upload(
      int number, long length, boolean isPart, List<String> parts) {
    return new UnfinishedUpload(
        id(number),
        "owner",
        new IngestRequest(
            new ArtifactId("r", "ä/b"),
            "text/plain",
            length,
            List.of(
                Digest.of(DigestAlgorithm.SHA_256, new byte[32]),
                Digest.of(DigestAlgorithm.MD5, new byte[16]))),
        number == 1 ? "filename YQ==,is_confidential" : "",
        number % 2 == 0,
        BlobRef.newKey(),
        UploadProgress.NONE,
        isPart,
        parts,
        false,
        NOW.plusSeconds(number));
  }
}
