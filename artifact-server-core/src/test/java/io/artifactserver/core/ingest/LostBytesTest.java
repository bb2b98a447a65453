package io.artifactserver.core.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.limit.RepositoryQuota;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Bytes that were lost are restored by an upload of the same. */
class LostBytesTest extends IngestFixture {
  /** Everybody who has the bytes has them again. */
  @ParameterizedTest
  @CsvSource({"edge, true", "edge, false", "vault, true", "vault, false"})
  void uploadRestoresBytesThatWereLost(String repository, boolean isKnown) throws Exception {
    byte[] content = content(1000, 31);
    Artifact artifact = put(repository + "/firmware", content).artifact();
    Artifact sharing = put(repository + "/same", content).artifact();
    lose(artifact.blob(), isKnown);
    IngestResult result = put(repository + "/new", content);
    assertThat(result).isInstanceOf(IngestResult.Created.class);
    assertRestored(content, artifact, sharing, result.artifact());
  }

  @ParameterizedTest
  @CsvSource({"edge, true", "edge, false", "vault, true", "vault, false"})
  void sameBytesForSamePathRestoreThem(String repository, boolean isKnown) throws Exception {
    byte[] content = content(1000, 32);
    Artifact artifact = put(repository + "/firmware", content).artifact();
    Artifact sharing = put(repository + "/same", content).artifact();
    ledger.put(repository, new RepositoryQuota(2000, 2));
    lose(artifact.blob(), isKnown);
    IngestResult result = put(repository + "/firmware", content);
    assertThat(result).isInstanceOf(IngestResult.AlreadyPresent.class);
    assertRestored(content, artifact, sharing, result.artifact());
  }

  @Test
  void bytesThatWereDeletedAndLostAreStoredAgain() throws Exception {
    byte[] content = content(1000, 33);
    Artifact artifact = put("edge/firmware", content).artifact();
    catalog.remove(artifact.id());
    lose(artifact.blob(), false);
    assertRestored(content, put("edge/firmware", content).artifact());
    assertThat(rows.retiredBefore(Instant.MAX, 1)).isEmpty();
  }

  @Test
  void otherBytesRestoreNothing() throws Exception {
    byte[] content = content(1000, 34);
    Artifact artifact = put("edge/firmware", content).artifact();
    lose(artifact.blob(), true);
    assertThatExceptionOfType(IngestException.PathTaken.class)
        .isThrownBy(() -> put("edge/firmware", content(1000, 35)));
    assertThat(rows.suspects(Set.of(artifact.blob().key()))).isNotEmpty();
    assertThat(blobs()).containsExactly(artifact.blob());
    assertThat(quota.used()).isEqualTo(1000);
  }

  /** The repository encrypts, and the blob that was lost is still plain. */
  @Test
  void bytesThatWereLostBeforeTheirEncryptionAreStoredEncrypted() throws Exception {
    byte[] content = content(1000, 36);
    Artifact artifact = put("edge/firmware", content).artifact();
    catalog.encryptRepository("edge");
    lose(artifact.blob(), true);
    Artifact restored = put("edge/firmware", content).artifact();
    assertThat(restored.blob().encrypted()).isTrue();
    assertThat(stored(restored)).isEqualTo(content);
  }

  @Test
  void oneUploadRestoresPlainAndEncryptedBytes() throws Exception {
    byte[] content = content(1000, 37);
    Artifact plain = put("edge/firmware", content).artifact();
    Artifact secret = put("vault/firmware", content).artifact();
    catalog.encryptRepository("edge");
    lose(plain.blob(), true);
    lose(secret.blob(), true);
    Artifact restored = put("edge/firmware", content).artifact();
    assertThat(stored(restored)).isEqualTo(content);
    assertThat(catalog.find(secret.id()).orElseThrow().blob()).isEqualTo(restored.blob());
  }

  private void lose(BlobRef blob, boolean isKnown) {
    if (isKnown) {
      rows.suspect(blob);
    } else {
      (blob.encrypted() ? encrypted : memory).delete(blob);
    }
  }

  private void assertRestored(byte[] content, Artifact... artifacts) throws Exception {
    Set<BlobRef> used = new HashSet<>();
    for (Artifact each : artifacts) {
      Artifact current = catalog.find(each.id()).orElseThrow();
      assertThat(stored(current)).isEqualTo(content);
      used.add(current.blob());
    }
    assertThat(used).hasSize(1);
    assertThat(rows.suspectCount()).isZero();
    assertThat(quota.used()).isEqualTo(1000);
    assertThat(memory.openUploads() + encrypted.openUploads()).isZero();
  }
}
