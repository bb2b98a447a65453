package io.artifactserver.core.upload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.UploadCheckpoint;
import io.artifactserver.core.ingest.IngestRequest;
import io.artifactserver.core.ingest.IngestResult;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Uploads that get their bytes from parts. */
class ConcatenationTest extends UploadFixture {
  @Test
  void partsBecomeOneArtifactInTheirOrder() throws Exception {
    for (String repository : List.of("edge", "vault")) {
      byte[] content = content(5_000);
      String second = part(repository + "/fw", 3_000);
      String first = part(repository + "/fw", 2_000);
      send(second, Arrays.copyOfRange(content, 2_000, 5_000), 0, 3_000);
      assertThat(finish(second)).isEmpty();
      send(first, content, 0, 1_000);
      String whole = whole(repository + "/fw", first, second);
      assertThat(uploads.waitingFor(first)).containsExactly(whole);
      assertThat(concatenate(whole)).as("A part is on its way").isEmpty();
      send(first, Arrays.copyOf(content, 2_000), 1_000, 1_000);
      assertThat(finish(first)).isEmpty();
      assertThat(concatenate(whole)).get().isInstanceOf(IngestResult.Created.class);
      assertStored(repository + "/fw", content);
    }
    assertThat(quota.used()).isEqualTo(10_000);
    assertThat(memory.list()).hasSize(1);
    assertThat(uploads.list()).isEmpty();
    assertThat(memory.keptUploads()).isZero();
  }

  /** At each of the writes. */
  @Test
  void whateverDiesTheNextProcessGoesOn() throws Exception {
    byte[] content = content(4_000);
    String first = part("edge/fw", 2_500);
    String second = part("edge/fw", 1_500);
    send(first, Arrays.copyOf(content, 2_500), 0, 2_500);
    var _ = finish(first);
    send(second, Arrays.copyOfRange(content, 2_500, 4_000), 0, 1_500);
    var _ = finish(second);
    String whole = whole("edge/fw", first, second);
    for (long at : new long[] {0, 2_500}) {
      store.failWriteAt(at, new StorageException.StorageFull("memory", "no room", null));
      assertThatExceptionOfType(StorageException.StorageFull.class)
          .isThrownBy(() -> concatenate(whole));
      store.recover();
      uploads = start();
    }
    assertThat(concatenate(whole)).get().isInstanceOf(IngestResult.Created.class);
    assertStored("edge/fw", content);
    assertThat(rows.find(first)).isEmpty();
  }

  @Test
  void aPartIsFoundWhoseProcessDiedBeforeItSaidSo() throws Exception {
    byte[] content = content(1_000);
    String part = part("edge/fw", 1_000);
    send(part, content, 0, 1_000);
    try (BlobUpload killed = store.resume(checkpoint(part))) {
      assertThat(killed.commit().length()).isEqualTo(1_000);
    }
    uploads = start();
    assertThat(finish(part)).isEmpty();
    assertThat(concatenate(whole("edge/fw", part))).isPresent();
    assertStored("edge/fw", content);
  }

  @Test
  void whatIsNoPartMakesNoUpload() throws Exception {
    String ordinary = begin("edge/other", 10);
    String part = part("edge/fw", 10);
    assertThatExceptionOfType(UploadException.NotFound.class)
        .isThrownBy(() -> whole("edge/fw", ordinary));
    assertThatExceptionOfType(UploadException.NotFound.class)
        .isThrownBy(() -> whole("edge/fw", "0".repeat(32)));
    assertThatExceptionOfType(UploadException.WrongPart.class)
        .isThrownBy(() -> whole("vault/fw", part));
  }

  @Test
  void aPartThatIsNeverUsedExpires() throws Exception {
    String part = part("edge/fw", 1_000);
    send(part, content(1_000), 0, 1_000);
    var _ = finish(part);
    assertThat(quota.used()).isEqualTo(1_000);
    now = now.plus(TIME_TO_LIVE).plusSeconds(1);
    assertThat(uploads.endExpired()).isEqualTo(1);
    assertNothingIsKept();
  }

  private UploadCheckpoint checkpoint(String id) {
    UnfinishedUpload row = rows.find(id).orElseThrow();
    return new UploadCheckpoint(
        row.blobKey(), row.progress().position(), row.progress().store(), false);
  }

  private String part(String name, long length) throws Exception {
    return uploads
        .beginPart("me", new IngestRequest(id(name), "text/plain", length, List.of()), "")
        .id();
  }

  private String whole(String name, String... parts) throws Exception {
    return uploads
        .beginOfParts(
            "other",
            new IngestRequest(id(name), "text/plain", IngestRequest.UNKNOWN_LENGTH, List.of()),
            "",
            List.of(parts))
        .id();
  }

  private Optional<IngestResult> finish(String id) throws Exception {
    try (UploadSession session = uploads.take(id, () -> {})) {
      return session.complete();
    }
  }

  private Optional<IngestResult> concatenate(String id) throws Exception {
    try (UploadSession session = uploads.take(id, () -> {})) {
      return uploads.concatenate(session, () -> {}) ? session.complete() : Optional.empty();
    }
  }
}
