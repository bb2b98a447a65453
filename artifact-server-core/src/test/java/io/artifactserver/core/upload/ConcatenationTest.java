package io.artifactserver.core.upload;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.UploadCheckpoint;
import io.artifactserver.core.ingest.IngestException;
import io.artifactserver.core.ingest.IngestResult;
import io.artifactserver.core.limit.RepositoryQuota;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
      assertThat(uploads.whole(first)).contains(whole);
      assertThat(concatenate(whole)).as("A part is on its way").isEmpty();
      send(first, Arrays.copyOf(content, 2_000), 1_000, 1_000);
      assertThat(finish(first)).isEmpty();
      assertThat(concatenate(whole)).get().isInstanceOf(IngestResult.Created.class);
      assertStored(repository + "/fw", content);
    }
    assertThat(quota.used()).isEqualTo(10_000);
    assertThat(memory.list()).hasSize(1);
    assertThat(list()).isEmpty();
    assertThat(memory.keptUploads()).isZero();
  }

  /** At each of the writes. */
  @Test
  void whateverDiesTheNextProcessGoesOn() throws Exception {
    byte[] content = content(4_000);
    String[] parts = sentParts(content, 2_500);
    String whole = whole("edge/fw", parts);
    for (long at : new long[] {0, 2_500}) {
      store.failWriteAt(at, new StorageException.StorageFull("memory", "no room", null));
      assertThatExceptionOfType(StorageException.StorageFull.class)
          .isThrownBy(() -> concatenate(whole));
      store.recover();
      uploads = start();
    }
    assertThat(concatenate(whole)).get().isInstanceOf(IngestResult.Created.class);
    assertStored("edge/fw", content);
    assertThat(rows.find(parts[0])).isEmpty();
  }

  /** By a client whose answer was lost; the first part is in place then. */
  @Test
  void whatIsAskedForAgainGoesOn() throws Exception {
    byte[] content = content(4_000);
    String[] parts = sentParts(content, 2_500);
    String whole = whole("edge/fw", parts);
    assertThat(whole("edge/fw", parts)).isEqualTo(whole);
    store.failWriteAt(2_500, new StorageException.StorageFull("memory", "no room", null));
    assertThatExceptionOfType(StorageException.StorageFull.class)
        .isThrownBy(() -> concatenate(whole));
    store.recover();
    assertThat(rows.find(parts[0])).isEmpty();
    assertThat(whole("edge/fw", parts)).isEqualTo(whole);
    assertThat(concatenate(whole)).get().isInstanceOf(IngestResult.Created.class);
    assertStored("edge/fw", content);
  }

  @Test
  void aRequestForAnotherPathIsNoRepetition() throws Exception {
    String part = part("edge/fw", 1_000);
    String whole = whole("edge/fw", part);
    assertThatExceptionOfType(UploadException.PartTaken.class)
        .isThrownBy(() -> whole("edge/other", part))
        .withMessageContaining(whole);
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

  @Test
  void partsAndTheirUploadStayAsLongAsBytesCome() throws Exception {
    byte[] content = content(2_000);
    String first = storedPart("edge/fw", Arrays.copyOf(content, 1_000));
    String second = part("edge/fw", 1_000);
    String whole = whole("edge/fw", first, second);
    byte[] rest = Arrays.copyOfRange(content, 1_000, 2_000);
    for (int position = 0; position < 900; position += 300) {
      now = now.plus(TIME_TO_LIVE.dividedBy(2)).plusSeconds(1);
      send(second, rest, position, 300);
      assertThat(uploads.endExpired()).isZero();
    }
    uploads = start();
    send(second, rest, 900, 100);
    assertThat(finish(second)).isEmpty();
    assertThat(concatenate(whole)).get().isInstanceOf(IngestResult.Created.class);
    assertStored("edge/fw", content);
  }

  @Test
  void partsExpireWithTheirUpload() throws Exception {
    String first = storedPart("edge/fw", content(1_000));
    String second = part("edge/fw", 1_000);
    var _ = whole("edge/fw", first, second);
    now = now.plus(TIME_TO_LIVE.dividedBy(2));
    send(second, content(1_000), 0, 300);
    now = now.plus(TIME_TO_LIVE).plusSeconds(1);
    assertThat(uploads.endExpired()).isEqualTo(3);
    assertNothingIsKept();
  }

  /** Clients that ask again and again, and wait for no answer, do not hold the copy up. */
  @Test
  void otherRequestsLeaveTheCopyAlone() throws Exception {
    byte[] content = content(2_000_000);
    String whole = whole("edge/fw", storedPart("edge/fw", content));
    List<Long> positions = new ArrayList<>();
    Optional<IngestResult> made =
        uploads.concatenate(
            whole,
            () -> {
              positions.add(uploadOf(whole).position());
              assertThat(isEmptyConcatenation(whole)).isTrue();
              assertThat(uploadOf(whole).isOpen()).isTrue();
            },
            () -> {});
    assertThat(made).get().isInstanceOf(IngestResult.Created.class);
    assertThat(positions).containsExactly(524_288L, 1_048_576L, 1_572_864L, 2_000_000L);
    assertStored("edge/fw", content);
  }

  /** In the same process, and in the next one. */
  @ParameterizedTest
  @CsvSource({"edge, false", "edge, true", "vault, false", "vault, true"})
  void aCopyThatEndsGoesOnInTheMiddleOfAPart(String repository, boolean isRestarted)
      throws Exception {
    byte[] content = content(2_000_000);
    String whole = whole(repository + "/fw", storedPart(repository + "/fw", content));
    assertThatIllegalStateException()
        .isThrownBy(() ->
            uploads.concatenate(
                whole,
                () -> {
                  if (uploadOf(whole).position() > 1_000_000) {
                    throw new IllegalStateException("enough");
                  }
                },
                () -> {}));
    if (isRestarted) {
      uploads = start();
    }
    assertThat(uploadOf(whole).position()).isEqualTo(1_048_576);
    assertThat(uploadOf(whole).isOpen()).isFalse();
    assertThat(quota.used() % content.length).as("The room of %d", quota.used()).isZero();
    List<Long> positions = new ArrayList<>();
    assertThat(
            uploads.concatenate(whole, () -> positions.add(uploadOf(whole).position()), () -> {}))
        .isPresent();
    assertThat(positions).containsExactly(1_572_864L, 2_000_000L);
    assertStored(repository + "/fw", content);
    assertThat(list()).isEmpty();
  }

  @Test
  void noArtifactIsMadeForACallerThatMayNotAnyMore() throws Exception {
    byte[] content = content(1_000);
    String whole = whole("edge/fw", storedPart("edge/fw", content));
    endBeforeTheArtifact(whole);
    assertThat(artifacts.find(id("edge/fw"))).isEmpty();
    // Another one may.
    assertThat(concatenate(whole)).get().isInstanceOf(IngestResult.Created.class);
    assertStored("edge/fw", content);
  }

  @Test
  void aNeighbourNeverGetsTheRoomOfParts() throws Exception {
    byte[] content = content(2_000_000);
    String whole = whole("edge/fw", storedPart("edge/fw", content));
    quota.add((10L << 20) - quota.used());
    Runnable neighbour =
        () ->
            assertThatExceptionOfType(IngestException.QuotaExceeded.class)
                .isThrownBy(() -> begin("edge/neighbour", 1));
    assertThat(uploads.concatenate(whole, neighbour, neighbour)).isPresent();
    neighbour.run();
    assertThat(quota.used()).isEqualTo(10L << 20);
  }

  /** Room that were given back and asked for again would be a neighbour's in between. */
  @Test
  void theRoomOfPartsIsNeverAskedForAgain() throws Exception {
    byte[] content = content(2_000);
    String whole = whole("edge/fw", sentParts(content, 1_000));
    // Nothing is remembered of the repository, so that whoever needs room asks for the quota.
    assertThat(ledger.put("edge", new RepositoryQuota(2_000, 2))).isTrue();
    AtomicInteger refused = new AtomicInteger();
    quotas.onAsked(() -> {
      quotas.onAsked(() -> {});
      assertThatExceptionOfType(IngestException.RepositoryFull.class)
          .isThrownBy(() -> begin("edge/neighbour", 1));
      refused.incrementAndGet();
    });
    assertThat(concatenate(whole)).get().isInstanceOf(IngestResult.Created.class);
    assertThat(refused).hasValue(0);
    assertThat(ledger.standing("edge").used().bytes()).isEqualTo(2_000);
    assertThat(refused).as("It has been asked for now").hasValue(1);
  }

  /** The second request comes when the first one has found no such upload. */
  @Test
  void aRequestThatComesTwiceAtOnceMakesOneUpload() throws Exception {
    String part = part("edge/fw", 1_000);
    CompletableFuture<String> second = new CompletableFuture<>();
    clock =
        () -> {
          clock = () -> now;
          Thread thread = Thread.ofPlatform().start(() -> complete(second, part));
          eventually(
              "it waits for the first, or is through",
              () -> second.isDone() || thread.getState() == Thread.State.WAITING);
          return now;
        };
    assertThat(whole("edge/fw", part)).isEqualTo(second.get());
    assertThat(list()).hasSize(2);
  }

  private void complete(CompletableFuture<String> whole, String part) {
    try {
      whole.complete(whole("edge/fw", part));
    } catch (Exception e) {
      whole.completeExceptionally(e);
    }
  }

  @Test
  void aPartIsOfOneUpload() throws Exception {
    byte[] content = content(1_000);
    String part = storedPart("edge/fw", content);
    String whole = whole("edge/fw", part);
    assertThatExceptionOfType(UploadException.PartTaken.class)
        .isThrownBy(() -> whole("edge/other", part))
        .satisfies(taken -> assertThat(taken.whole()).isEqualTo(whole));
    quota.release(1_000);
    uploads = start();
    assertThatExceptionOfType(UploadException.PartTaken.class)
        .isThrownBy(() -> whole("edge/other", part));
    uploads.end(whole);
    String other = whole("edge/other", part);
    assertThat(quota.used()).isEqualTo(1_000);
    assertThat(concatenate(other)).isPresent();
    assertThat(uploads.whole(part)).isEmpty();
    assertThatExceptionOfType(UploadException.NotFound.class)
        .isThrownBy(() -> whole("edge/third", part));
    assertThat(list()).isEmpty();
    assertThat(quota.used()).isEqualTo(1_000);
  }

  @Test
  void anUploadIsOverWithAPartOfIt() throws Exception {
    String first = storedPart("edge/fw", content(1_000));
    String whole = whole("edge/fw", first);
    uploads.end(first);
    assertThatExceptionOfType(UploadException.NotFound.class)
        .isThrownBy(() -> concatenate(whole))
        .withMessageContaining(first);
    assertNothingIsKept();
  }

  @Test
  void nobodyTakesOverAnUploadOfParts() throws Exception {
    String whole = whole("edge/fw", storedPart("edge/fw", content(1_000)));
    assertThatExceptionOfType(UploadException.OfParts.class)
        .isThrownBy(() -> uploads.take(whole, () -> {}));
    assertThat(uploads.status(whole).parts()).hasSize(1);
    assertThat(concatenate(whole)).isPresent();
    assertThatExceptionOfType(UploadException.Complete.class)
        .isThrownBy(() -> uploads.status(whole));
    assertThatExceptionOfType(UploadException.Complete.class).isThrownBy(() -> concatenate(whole));
  }

  /** The row says so, and the process died before it had ended the part. */
  @Test
  void aPartThatIsInPlaceIsEndedByTheNextProcess() throws Exception {
    byte[] content = content(1_000);
    String part = storedPart("edge/fw", content);
    UnfinishedUpload kept = rows.find(part).orElseThrow();
    String whole = whole("edge/fw", part);
    endBeforeTheArtifact(whole);
    rows.add(kept);
    assertThat(quota.used()).isEqualTo(1_000);
    quota.release(1_000);
    uploads = start();
    assertThat(rows.find(part)).isEmpty();
    assertThat(quota.used()).isEqualTo(1_000);
    assertThat(concatenate(whole)).isPresent();
    assertStored("edge/fw", content);
    assertThat(quota.used()).isEqualTo(1_000);
  }

  private void endBeforeTheArtifact(String whole) {
    assertThatIllegalStateException()
        .isThrownBy(() ->
            uploads.concatenate(
                whole,
                () -> {},
                () -> {
                  throw new IllegalStateException("taken away");
                }));
  }

  private UploadStatus uploadOf(String id) {
    return list().stream().filter(each -> each.id().equals(id)).findFirst().orElseThrow();
  }

  private boolean isEmptyConcatenation(String whole) {
    try {
      return concatenate(whole).isEmpty();
    } catch (UploadException | IngestException | StorageException e) {
      throw new AssertionError(e);
    }
  }

  private String storedPart(String name, byte[] content) throws Exception {
    String part = part(name, content.length);
    send(part, content, 0, content.length);
    assertThat(finish(part)).isEmpty();
    return part;
  }

  private UploadCheckpoint checkpoint(String id) {
    UnfinishedUpload row = rows.find(id).orElseThrow();
    return new UploadCheckpoint(
        row.blobKey(), row.progress().position(), row.progress().store(), false);
  }
}
