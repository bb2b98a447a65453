package io.artifactserver.core.upload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.ingest.IngestException;
import io.artifactserver.core.ingest.IngestRequest;
import io.artifactserver.core.ingest.IngestResult;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class UnfinishedUploadsTest extends UploadFixture {
  @Test
  void anUploadOverSeveralRequestsBecomesAnArtifact() throws Exception {
    byte[] content = content(10_000);
    String id = begin("edge/fw", content.length);
    for (int position = 0; position < content.length; position += 2_500) {
      send(id, content, position, 2_500);
      assertThat(memory.openUploads()).as("An upload at rest holds nothing").isZero();
    }
    assertThat(complete(id)).isInstanceOf(IngestResult.Created.class);
    assertStored("edge/fw", content);
    assertThat(quota.used()).isEqualTo(content.length);
    assertThatExceptionOfType(UploadException.Complete.class)
        .isThrownBy(() -> uploads.take(id, () -> {}));
    assertThat(list()).isEmpty();
    assertThat(memory.keptUploads()).isZero();
  }

  @Test
  void aNewerRequestEndsTheOlderOneAndGoesOnBehindIt() throws Exception {
    byte[] content = content(5_000);
    String id = begin("edge/fw", content.length);
    AtomicInteger woken = new AtomicInteger();
    UploadSession older = uploads.take(id, woken::incrementAndGet);
    older.append(ByteBuffer.wrap(content, 0, 777));
    try (UploadSession newer = uploads.take(id, () -> {})) {
      assertThat(woken.get()).isEqualTo(1);
      assertThat(newer.status().position()).isEqualTo(777);
      assertThatExceptionOfType(UploadException.Superseded.class)
          .isThrownBy(() -> older.append(ByteBuffer.wrap(content, 777, 1)));
      assertThatExceptionOfType(UploadException.Superseded.class).isThrownBy(older::pause);
      older.close();
      newer.append(ByteBuffer.wrap(content, 777, content.length - 777));
    }
    assertThat(complete(id)).isInstanceOf(IngestResult.Created.class);
    assertStored("edge/fw", content);
    assertThat(woken.get()).isEqualTo(1);
  }

  @Test
  void bytesAreTakenAtTheirPositionOnly() throws Exception {
    byte[] content = content(5_000);
    String id = begin("edge/fw", content.length);
    send(id, content, 0, 100);
    try (UploadSession session = uploads.take(id, () -> {})) {
      session.requirePosition(100);
      for (long wrong : new long[] {0, 99, 101, -1, Long.MAX_VALUE}) {
        assertThatExceptionOfType(UploadException.WrongPosition.class)
            .isThrownBy(() -> session.requirePosition(wrong))
            .satisfies(e -> assertThat(e.position()).isEqualTo(100))
            .withMessageContaining("goes on there");
      }
      assertThatExceptionOfType(UploadException.WrongLength.class)
          .isThrownBy(() -> session.append(ByteBuffer.wrap(content(5_000))));
      assertThat(session.status().position()).isEqualTo(100);
      assertThatExceptionOfType(UploadException.WrongLength.class).isThrownBy(session::complete);
    }
  }

  @Test
  void bytesBehindAMarkAreDroppedTogether() throws Exception {
    byte[] content = content(9_000);
    String id = begin("edge/fw", content.length);
    send(id, content, 0, 500);
    try (UploadSession session = uploads.take(id, () -> {})) {
      session.mark();
      session.append(ByteBuffer.wrap(content(4_000)));
      assertThat(session.status().position()).isEqualTo(4_500);
      session.rollBack();
      assertThat(session.status().position()).isEqualTo(500);
    }
    // A request that is cut off behind its mark leaves nothing, either.
    try (UploadSession session = uploads.take(id, () -> {})) {
      session.mark();
      session.append(ByteBuffer.wrap(content(4_000)));
    }
    send(id, content, 500, content.length);
    assertThat(complete(id)).isInstanceOf(IngestResult.Created.class);
    assertStored("edge/fw", content);
  }

  @Test
  void aLengthMayBeDeclaredLater() throws Exception {
    byte[] content = content(2_000);
    String id = begin("edge/fw", IngestRequest.UNKNOWN_LENGTH);
    send(id, content, 0, content.length);
    assertThat(quota.used()).isEqualTo(content.length);
    try (UploadSession session = uploads.take(id, () -> {})) {
      assertThatExceptionOfType(UploadException.WrongLength.class)
          .isThrownBy(() -> session.declare(1_999));
      session.declare(2_000);
      session.declare(2_000);
      assertThatExceptionOfType(UploadException.WrongLength.class)
          .isThrownBy(() -> session.declare(2_001));
      assertThat(session.complete().orElseThrow()).isInstanceOf(IngestResult.Created.class);
    }
    assertStored("edge/fw", content);
  }

  @Test
  void theEmptyArtifactComesInToo() throws Exception {
    String id = begin("edge/empty", 0);
    assertThat(complete(id)).isInstanceOf(IngestResult.Created.class);
    assertStored("edge/empty", new byte[0]);
  }

  @Test
  void nothingIsKeptOfBytesWithAnotherDigest() throws Exception {
    byte[] content = content(3_000);
    IngestRequest request =
        new IngestRequest(
            id("edge/fw"),
            "text/plain",
            content.length,
            List.of(Digest.of(DigestAlgorithm.SHA_256, new byte[32])));
    String id = uploads.begin("me", request, "").id();
    send(id, content, 0, content.length);
    assertThatExceptionOfType(IngestException.DigestMismatch.class)
        .isThrownBy(() -> complete(id))
        .withMessageContaining(sha256(content).hex());
    assertNothingIsKept();
    assertThatExceptionOfType(UploadException.NotFound.class)
        .isThrownBy(() -> uploads.take(id, () -> {}));
  }

  @Test
  void digestsMayBeSaidLaterAndOutliveTheProcess() throws Exception {
    byte[] content = content(3_000);
    String id = begin("edge/fw", content.length);
    send(id, content, 0, 2_000);
    try (UploadSession session = uploads.take(id, () -> {})) {
      session.expect(List.of(Digest.of(DigestAlgorithm.SHA_256, new byte[32])));
      session.expect(List.of(Digest.of(DigestAlgorithm.SHA_512, new byte[64])));
    }
    uploads = start();
    send(id, content, 2_000, content.length);
    assertThat(uploads.request(id).orElseThrow().expectedDigests()).hasSize(2);
    try (UploadSession session = uploads.take(id, () -> {})) {
      // Another of the same algorithm takes its place.
      session.expect(List.of(sha256(content)));
    }
    assertThatExceptionOfType(IngestException.DigestMismatch.class)
        .isThrownBy(() -> complete(id))
        .withMessageContaining("sha512");
    assertThat(memory.list()).isEmpty();
    assertThat(rows.size()).isZero();
  }

  @Test
  void theFirstToCompleteHasThePath() throws Exception {
    byte[] content = content(3_000);
    byte[] other = new byte[3_000];
    String first = begin("edge/fw", 3_000);
    String same = begin("edge/fw", 3_000);
    send(same, content, 0, 3_000);
    send(first, content, 0, 3_000);
    assertThat(complete(first)).isInstanceOf(IngestResult.Created.class);
    assertThat(complete(same)).isInstanceOf(IngestResult.AlreadyPresent.class);
    String late = begin("edge/fw", 3_000);
    send(late, other, 0, 3_000);
    assertThatExceptionOfType(IngestException.PathTaken.class).isThrownBy(() -> complete(late));
    assertStored("edge/fw", content);
    assertThat(quota.used()).isEqualTo(3_000);
    assertThat(memory.keptUploads()).isZero();
    assertThatExceptionOfType(IngestException.PathTaken.class)
        .isThrownBy(() ->
            uploads.begin(
                "me", new IngestRequest(id("edge/fw"), "a/b", 3_000, List.of(sha256(other))), ""));
  }

  @Test
  void roomIsReservedForAsLongAsAnUploadIsUnfinished() throws Exception {
    String id = begin("edge/fw", 3_000_000);
    assertThat(quota.used()).isEqualTo(3_000_000);
    begin("edge/two", 4_000_000);
    assertThatExceptionOfType(IngestException.QuotaExceeded.class)
        .isThrownBy(() ->
            uploads.begin(
                "other", new IngestRequest(id("edge/three"), "a/b", 4_000_000, List.of()), ""));
    assertThatExceptionOfType(IngestException.TooLarge.class)
        .isThrownBy(() ->
            uploads.begin(
                "other", new IngestRequest(id("edge/four"), "a/b", MAX_LENGTH + 1, List.of()), ""));
    uploads.end(id);
    assertThat(quota.used()).isEqualTo(4_000_000);
    assertThat(rows.size()).isEqualTo(1);
  }

  @Test
  void uploadsAreBoundedForACallerAndForAll() throws Exception {
    begin("edge/1", 1);
    begin("edge/2", 1);
    assertThatExceptionOfType(UploadException.TooMany.class)
        .isThrownBy(() -> begin("edge/3", 1))
        .withMessageContaining("Your token has 2");
    String third =
        uploads.begin("other", new IngestRequest(id("edge/3"), "a/b", 1, List.of()), "").id();
    assertThatExceptionOfType(UploadException.TooMany.class)
        .isThrownBy(
            () -> uploads.begin("third", new IngestRequest(id("edge/4"), "a/b", 1, List.of()), ""))
        .withMessageContaining("The server has 3");
    uploads.end(third);
    uploads.begin("third", new IngestRequest(id("edge/4"), "a/b", 1, List.of()), "");
    assertThat(list()).hasSize(3);
    assertThat(start().list("", 10)).hasSize(3);
    assertThat(uploads.list(list().getFirst().id(), 1)).containsExactly(list().get(1));
    assertThat(uploads.list(list().getLast().id(), 1)).isEmpty();
  }

  @Test
  void whatExpiresIsGoneUnlessBytesCome() throws Exception {
    byte[] content = content(3_000);
    String idle = begin("edge/idle", 3_000);
    String busy = begin("edge/busy", 3_000);
    send(idle, content, 0, 2_000);
    now = now.plus(TIME_TO_LIVE.dividedBy(2));
    send(busy, content, 0, 2_000);
    now = now.plus(TIME_TO_LIVE.dividedBy(2)).plusSeconds(1);
    assertThat(uploads.endExpired()).isEqualTo(1);
    assertThatExceptionOfType(UploadException.NotFound.class)
        .isThrownBy(() -> uploads.take(idle, () -> {}));
    assertThat(quota.used()).isEqualTo(3_000);
    send(busy, content, 2_000, 1_000);
    assertThat(complete(busy)).isInstanceOf(IngestResult.Created.class);
    now = now.plus(TIME_TO_LIVE).plusSeconds(1);
    assertThat(uploads.endExpired()).isZero();
    assertThat(rows.size()).isZero();
  }

  @Test
  void anOpenRequestDoesNotExpire() throws Exception {
    String id = begin("edge/fw", 3_000);
    try (UploadSession session = uploads.take(id, () -> {})) {
      session.append(ByteBuffer.wrap(content(10)));
      now = now.plus(TIME_TO_LIVE).plusSeconds(1);
      assertThat(uploads.endExpired()).isZero();
    }
    assertThat(uploads.endExpired()).isZero();
  }

  @Test
  void endingAnUploadEndsItsOpenRequest() throws Exception {
    String id = begin("edge/fw", 3_000);
    AtomicInteger woken = new AtomicInteger();
    try (UploadSession session = uploads.take(id, woken::incrementAndGet)) {
      session.append(ByteBuffer.wrap(content(2_000)));
      uploads.end(id);
      assertThat(woken.get()).isEqualTo(1);
      assertThatExceptionOfType(UploadException.Superseded.class)
          .isThrownBy(() -> session.append(ByteBuffer.wrap(content(10))));
    }
    assertNothingIsKept();
    assertThatExceptionOfType(UploadException.NotFound.class).isThrownBy(() -> uploads.end(id));
  }

  /** The first that waits for its client gives back what its store holds. */
  @Test
  void fewUploadsAreOpenHoweverManyWait() throws Exception {
    byte[] content = content(3_000);
    List<UploadSession> sessions = new ArrayList<>();
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      String id =
          uploads
              .begin("owner " + i, new IngestRequest(id("edge/" + i), "a/b", 3_000, List.of()), "")
              .id();
      ids.add(id);
      sessions.add(uploads.take(id, () -> {}));
    }
    sessions.getFirst().mark();
    for (int position = 0; position < 3_000; position += 500) {
      for (UploadSession session : sessions.subList(1, 3)) {
        session.append(ByteBuffer.wrap(content, position, 500));
        assertThat(memory.openUploads()).isLessThanOrEqualTo(MAX_OPEN);
      }
    }
    sessions.getFirst().append(ByteBuffer.wrap(content, 0, 500));
    assertThat(memory.openUploads()).isLessThanOrEqualTo(MAX_OPEN);
    sessions.get(1).close();
    assertThat(complete(ids.get(1))).isInstanceOf(IngestResult.Created.class);
    assertThat(sessions.get(2).complete()).isPresent();
    assertStored("edge/1", content);
    assertStored("edge/2", content);
  }
}
