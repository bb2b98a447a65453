package io.artifactserver.core.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStore.StoredBlob;
import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.PathPolicy;
import io.artifactserver.core.digest.DigestAlgorithm;
import java.io.ByteArrayInputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Artifacts that are created, shared or found present. */
class ArtifactIngestTest extends IngestFixture {
  @ParameterizedTest
  @ValueSource(
      ints = {
        0,
        1,
        Reading.BUFFER_LENGTH - 1,
        Reading.BUFFER_LENGTH,
        Reading.BUFFER_LENGTH + 1,
        3 * Reading.BUFFER_LENGTH + 17
      })
  void createsAnArtifactOfEveryLength(int length) throws Exception {
    byte[] content = content(length, 1);
    IngestResult result = put("edge/firmware", content);
    assertThat(result).isInstanceOf(IngestResult.Created.class);
    Artifact artifact = result.artifact();
    assertThat(artifact.length()).isEqualTo(length);
    assertThat(artifact.mediaType()).isEqualTo("application/octet-stream");
    for (DigestAlgorithm algorithm : DigestAlgorithm.values()) {
      assertThat(artifact.digests().get(algorithm)).contains(digest(algorithm, content));
    }
    assertThat(stored(artifact)).isEqualTo(content);
    assertThat(catalog.find(artifact.id())).contains(artifact);
    assertThat(quota.used()).isEqualTo(length);
    assertThat(memory.openUploads()).isZero();
  }

  @Test
  void theSameBytesAgainAreAlreadyPresent() throws Exception {
    byte[] content = content(1000, 2);
    Artifact first = put("edge/firmware", content).artifact();
    IngestResult again = put("edge/firmware", content);
    assertThat(again).isEqualTo(new IngestResult.AlreadyPresent(first));
    assertThat(blobs()).containsExactly(first.blob());
    assertThat(quota.used()).isEqualTo(1000);
  }

  @Test
  void otherBytesFindThePathTaken() throws Exception {
    byte[] content = content(1000, 3);
    Artifact first = put("edge/firmware", content).artifact();
    byte[] other = content(1000, 4);
    assertThatExceptionOfType(IngestException.PathTaken.class)
        .isThrownBy(() -> put("edge/firmware", other))
        .withMessageContaining("edge/firmware")
        .withMessageContaining(digest(DigestAlgorithm.SHA_256, other).hex());
    assertThatExceptionOfType(IngestException.PathTaken.class)
        .isThrownBy(() ->
            ingest.ingest(
                request("edge/firmware", -1, List.of(digest(DigestAlgorithm.MD5, other))),
                new ByteArrayInputStream(other)));
    assertThat(stored(first)).isEqualTo(content);
    assertThat(blobs()).containsExactly(first.blob());
  }

  @Test
  void otherBytesFindThePathUsedAndTheSameBytesAreCreatedAgain() throws Exception {
    byte[] content = content(1000, 3);
    byte[] other = content(1000, 4);
    Artifact first = put("edge/firmware", content).artifact();
    rows.remove(first.id());
    assertThatExceptionOfType(IngestException.PathUsed.class)
        .isThrownBy(() -> put("edge/firmware", other))
        .withMessageContaining("edge/firmware")
        .withMessageContaining(digest(DigestAlgorithm.SHA_256, content).hex())
        .withMessageContaining(digest(DigestAlgorithm.SHA_256, other).hex());
    // An announced digest is compared before the body is read.
    ByteArrayInputStream unread = new ByteArrayInputStream(other);
    assertThatExceptionOfType(IngestException.PathUsed.class)
        .isThrownBy(() ->
            ingest.ingest(
                request("edge/firmware", -1, List.of(digest(DigestAlgorithm.SHA_256, other))),
                unread));
    assertThat(unread.available()).isEqualTo(other.length);
    assertThat(blobs()).containsExactly(first.blob());
    assertThat(quota.used()).isEqualTo(1000);
    // Bytes that another path has are no way around.
    put("edge/elsewhere", other);
    assertThatExceptionOfType(IngestException.PathUsed.class)
        .isThrownBy(() -> put("edge/firmware", other));

    IngestResult again =
        ingest.ingest(
            request("edge/firmware", -1, List.of(digest(DigestAlgorithm.SHA_256, content))),
            new ByteArrayInputStream(content));
    assertThat(again).isInstanceOf(IngestResult.Created.class);
    assertThat(stored(again.artifact())).isEqualTo(content);
  }

  @Test
  void aMutableRepositoryTakesOtherBytesAfterADeletion() throws Exception {
    catalog.createRepository("nightly", false, false, new PathPolicy(true, Duration.ZERO));
    byte[] other = content(1000, 4);
    Artifact first = put("nightly/firmware", content(1000, 3)).artifact();
    assertThatExceptionOfType(IngestException.PathTaken.class)
        .isThrownBy(() -> put("nightly/firmware", other));
    rows.remove(first.id());
    IngestResult second =
        ingest.ingest(
            request("nightly/firmware", -1, List.of(digest(DigestAlgorithm.SHA_256, other))),
            new ByteArrayInputStream(other));
    assertThat(second).isInstanceOf(IngestResult.Created.class);
    assertThat(stored(second.artifact())).isEqualTo(other);
  }

  @Test
  void bytesThatWereDeletedWhileTheyCameInAgainAreSharedWhileTheirBlobIsThere() throws Exception {
    byte[] content = content(1000, 2);
    Artifact first = put("edge/firmware", content).artifact();
    catalog.beforeShare(() -> rows.remove(first.id()));
    IngestResult again = put("edge/firmware", content);
    assertThat(again).isInstanceOf(IngestResult.Created.class);
    assertThat(catalog.find(first.id())).contains(again.artifact());
    assertThat(stored(again.artifact())).isEqualTo(content);
  }

  @Test
  void nobodySaysPresentOfBytesThatAreGone() throws Exception {
    byte[] content = content(1000, 2);
    Artifact first = put("edge/firmware", content).artifact();
    catalog.findNothingShareable();
    catalog.beforeShare(() -> rows.remove(first.id()));
    assertThatExceptionOfType(IngestException.DeletedMeanwhile.class)
        .isThrownBy(() -> put("edge/firmware", content))
        .withMessageContaining("edge/firmware");
  }

  @Test
  void sharesABlobAcrossRepositoriesButNotAcrossEncryption() throws Exception {
    byte[] content = content(1000, 5);
    BlobRef edge = put("edge/firmware", content).artifact().blob();
    IngestResult core = put("core/other/name", content);
    assertThat(core).isInstanceOf(IngestResult.Created.class);
    assertThat(core.artifact().blob()).isEqualTo(edge);
    assertThat(quota.used()).isEqualTo(1000);
    BlobRef vault = put("vault/firmware", content).artifact().blob();
    assertThat(vault).isNotEqualTo(edge);
    assertThat(vault.encrypted()).isTrue();
    assertThat(blobs()).containsExactly(edge);
    try (Stream<StoredBlob> blobs = encrypted.list()) {
      assertThat(blobs.map(StoredBlob::ref)).containsExactly(vault);
    }
    assertThat(quota.used()).isEqualTo(2000);
  }

  @Test
  void takesUpARetiredBlobAgain() throws Exception {
    byte[] content = content(1000, 18);
    Artifact old = put("core/firmware", content).artifact();
    catalog.remove(old.id());
    assertThat(put("edge/firmware", content).artifact().blob()).isEqualTo(old.blob());
    assertThat(rows.forget(old.blob(), Instant.MAX)).isFalse();
    assertThat(rows.retiredBefore(Instant.MAX, 10)).isEmpty();
  }
}
