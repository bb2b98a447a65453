package io.artifactserver.core.upload;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.catalog.CatalogUnavailableException;
import io.artifactserver.core.ingest.IngestRequest;
import io.artifactserver.core.ingest.IngestResult;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Uploads that go on after a process, a store or the database has failed. */
class UploadRecoveryTest extends UploadFixture {
  @Test
  void nothingIsLostWhenAProcessDiesButTheLastInterval() throws Exception {
    byte[] content = content(10_000);
    for (String repository : List.of("edge", "vault")) {
      String id = begin(repository + "/fw", content.length);
      UploadSession killed = uploads.take(id, () -> {});
      for (int position = 0; position < 4_700; position += 100) {
        killed.append(ByteBuffer.wrap(content, position, 100));
      }
      eventually("the last checkpoint is durable", () -> killed.kept() > 4_700 - INTERVAL);
      uploads = start();
      long position;
      try (UploadSession session = uploads.take(id, () -> {})) {
        position = session.status().position();
        assertThat(position).isBetween(4_700L - INTERVAL, 4_700L);
      }
      send(id, content, (int) position, content.length);
      assertThat(complete(id)).isInstanceOf(IngestResult.Created.class);
      assertStored(repository + "/fw", content);
    }
  }

  /** Each checkpoint of a remote store waits for its network. */
  @Test
  void checkpointsHaveAPauseBetweenThem() throws Exception {
    pause = Duration.ofSeconds(2);
    uploads = start();
    byte[] content = content(20_000);
    String id = begin("edge/fw", content.length);
    try (UploadSession session = uploads.take(id, () -> {})) {
      session.append(ByteBuffer.wrap(content, 0, 5_000));
      eventually("the first checkpoint is durable", () -> session.kept() == 5_000);
      now = now.plus(pause).minusNanos(1);
      session.append(ByteBuffer.wrap(content, 5_000, 5_000));
      now = now.plusNanos(1);
      session.append(ByteBuffer.wrap(content, 10_000, 1));
      eventually("the second checkpoint is durable", () -> session.kept() != 5_000);
      assertThat(session.kept()).isEqualTo(10_001);
      now = now.minus(Duration.ofDays(1));
      session.append(ByteBuffer.wrap(content, 10_001, 5_000));
      eventually("no clock that is set back stops them", () -> session.kept() == 15_001);
    }
    send(id, content, 15_001, content.length);
    assertThat(complete(id)).isInstanceOf(IngestResult.Created.class);
    assertStored("edge/fw", content);
  }

  /** No other bytes may be encrypted in their place, however often the upload pauses. */
  @Test
  void whatADeadProcessMayHaveWrittenIsRememberedInAnEncryptedRepository() throws Exception {
    byte[] content = content(6_000);
    String id = begin("vault/fw", content.length);
    send(id, content, 0, 2_000);
    assertThat(rows.find(id).orElseThrow().progress().isOpen()).isFalse();
    UploadSession killed = uploads.take(id, () -> {});
    killed.append(ByteBuffer.wrap(content, 2_000, 10));
    assertThat(rows.find(id).orElseThrow().progress().isOpen()).isTrue();
    uploads = start();
    send(id, content, 2_000, 20);
    assertThat(rows.find(id).orElseThrow().progress().isOpen()).isTrue();
    send(id, content, 2_020, content.length);
    assertThat(complete(id)).isInstanceOf(IngestResult.Created.class);
  }

  @Test
  void aFullStoreCostsNoMoreThanTheLastInterval() throws Exception {
    byte[] content = content(6_000);
    String id = begin("edge/fw", content.length);
    store.failWriteAt(4_000, new StorageException.StorageFull("memory", "no room", null));
    try (UploadSession session = uploads.take(id, () -> {})) {
      for (int position = 0; position < 4_000; position += 500) {
        session.append(ByteBuffer.wrap(content, position, 500));
      }
      assertThatExceptionOfType(StorageException.StorageFull.class)
          .isThrownBy(() -> session.append(ByteBuffer.wrap(content, 4_000, 500)));
      assertThat(session.status().position()).isEqualTo(4_000);
    }
    store.recover();
    send(id, content, 4_000, content.length);
    assertThat(complete(id)).isInstanceOf(IngestResult.Created.class);
    assertStored("edge/fw", content);
  }

  @Test
  void theDatabaseMayBeAwayForAWhile() throws Exception {
    byte[] content = content(6_000);
    String id = begin("edge/fw", content.length);
    send(id, content, 0, 2_500);
    try (UploadSession session = uploads.take(id, () -> {})) {
      session.append(ByteBuffer.wrap(content, 2_500, 500));
      rows.away(true);
      assertThatExceptionOfType(CatalogUnavailableException.class)
          .isThrownBy(() -> {
            // A checkpoint is due, and made aside: whatever comes next is told.
            session.append(ByteBuffer.wrap(content, 3_000, 1_000));
            session.pause();
          });
      rows.away(false);
      assertThat(session.status().position()).isEqualTo(2_500);
    }
    send(id, content, 2_500, content.length);
    assertThat(complete(id)).isInstanceOf(IngestResult.Created.class);
    assertStored("edge/fw", content);
  }

  /** The row may be ahead of what this process knows, and the next byte belongs elsewhere. */
  @Test
  void aRequestWhoseCheckpointFailedBringsNoMoreBytes() throws Exception {
    byte[] content = content(6_000);
    String id = begin("edge/fw", content.length);
    try (UploadSession session = uploads.take(id, () -> {})) {
      session.append(ByteBuffer.wrap(content, 0, 2_000));
      eventually("the first checkpoint is durable", () -> session.kept() == 2_000);
      rows.away(true);
      assertThatExceptionOfType(CatalogUnavailableException.class)
          .isThrownBy(() -> {
            session.append(ByteBuffer.wrap(content, 2_000, 1_000));
            session.pause();
          });
      rows.away(false);
      assertThatExceptionOfType(StorageException.StorageUnavailable.class)
          .isThrownBy(() -> session.append(ByteBuffer.wrap(content, 3_000, 1_000)));
    }
    send(id, content, 2_000, content.length);
    assertThat(complete(id)).isInstanceOf(IngestResult.Created.class);
    assertStored("edge/fw", content);
  }

  @Test
  void anArtifactThatIsThereAlreadyIsFoundWhenItsProcessDied() throws Exception {
    byte[] content = content(6_000);
    String id = begin("edge/fw", content.length);
    send(id, content, 0, content.length);
    catalog.beforeAdd(() -> rows.away(true));
    assertThatExceptionOfType(CatalogUnavailableException.class).isThrownBy(() -> complete(id));
    catalog.beforeAdd(() -> {});
    rows.away(false);
    uploads = start();
    assertThat(complete(id)).isInstanceOf(IngestResult.AlreadyPresent.class);
    assertStored("edge/fw", content);
  }

  /** The bytes are committed, and no row names them yet. */
  @Test
  void committedBytesBecomeAnArtifactWhenTheDatabaseIsBack() throws Exception {
    for (String repository : List.of("edge", "vault")) {
      byte[] content = content(repository.equals("edge") ? 6_000 : 5_000);
      String id = begin(repository + "/fw", content.length);
      send(id, content, 0, content.length);
      catalog.beforeAdd(() -> {
        throw new CatalogUnavailableException("The database is away");
      });
      assertThatExceptionOfType(CatalogUnavailableException.class).isThrownBy(() -> complete(id));
      catalog.beforeAdd(() -> {});
      if (repository.equals("vault")) {
        uploads = start();
      }
      assertThat(complete(id)).isInstanceOf(IngestResult.Created.class);
      assertStored(repository + "/fw", content);
    }
  }

  @Test
  void anUploadWhoseBytesAreLostBeginsAgain() throws Exception {
    byte[] content = content(6_000);
    String id = begin("edge/fw", content.length);
    send(id, content, 0, 3_000);
    memory.removeAbandonedUploads(Instant.now().plusSeconds(60));
    try (UploadSession session = uploads.take(id, () -> {})) {
      assertThatExceptionOfType(UploadException.NotFound.class)
          .isThrownBy(() -> session.append(ByteBuffer.wrap(content, 3_000, 10)))
          .withMessageContaining("Begin a new one");
    }
    assertNothingIsKept();
  }

  @Test
  void progressIsKeptAtIntervalsAndAtTheEnd() throws Exception {
    byte[] content = content(10 * INTERVAL);
    String id = begin("edge/fw", content.length);
    int before = rows.advances();
    try (UploadSession session = uploads.take(id, () -> {})) {
      for (int position = 0; position < content.length - 10; position += 10) {
        session.append(ByteBuffer.wrap(content, position, 10));
      }
    }
    assertThat(rows.advances() - before).isEqualTo(10);
  }

  /** Others that open do not take its place from a request whose bytes cannot be kept yet. */
  @Test
  void bytesThatCannotBeKeptYetStayWhereTheyAre() throws Exception {
    byte[] content = content(2_000);
    String first = begin("edge/1", 2_000);
    try (UploadSession session = uploads.take(first, () -> {})) {
      session.append(ByteBuffer.wrap(content, 0, 500));
      store.keepNothing();
      String second = begin("edge/2", 10);
      String third =
          uploads
              .begin("other", new IngestRequest(id("edge/3"), "text/plain", 10, List.of()), "")
              .id();
      try (UploadSession one = uploads.take(second, () -> {});
          UploadSession another = uploads.take(third, () -> {})) {
        one.append(ByteBuffer.wrap(content, 0, 5));
        another.append(ByteBuffer.wrap(content, 0, 5));
        assertThat(session.status().position()).isEqualTo(500);
      }
      store.recover();
      session.append(ByteBuffer.wrap(content, 500, 1_500));
      assertThat(session.complete()).isPresent();
    }
    assertStored("edge/1", content);
  }

  /** A client whose last answer was lost may ask while the artifact is being made. */
  @Test
  void aRequestThatWaitsForTheLastByteIsToldThatTheUploadIsComplete() throws Exception {
    byte[] content = content(2_000);
    String id = begin("edge/fw", content.length);
    send(id, content, 0, content.length);
    AtomicReference<Throwable> told = new AtomicReference<>();
    Thread waiting =
        Thread.ofPlatform()
            .unstarted(() -> told.set(catchThrowable(() -> uploads.take(id, () -> {}))));
    catalog.beforeAdd(() -> {
      waiting.start();
      eventually(
          "the request waits for the upload", () -> waiting.getState() == Thread.State.WAITING);
    });
    assertThat(complete(id)).isInstanceOf(IngestResult.Created.class);
    waiting.join();
    assertThat(told.get()).isInstanceOf(UploadException.Complete.class);
  }

  @Test
  void anUploadThatGoesOnJustBeforeItsEndStays() throws Exception {
    byte[] content = content(2_000);
    String id = begin("edge/fw", content.length);
    now = now.plus(TIME_TO_LIVE).plusSeconds(1);
    rows.afterExpired(() -> {
      try {
        send(id, content, 0, 1_000);
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    });
    assertThat(uploads.endExpired()).isZero();
    send(id, content, 1_000, 1_000);
    assertThat(complete(id)).isInstanceOf(IngestResult.Created.class);
  }

  /** Its bytes would stay as they are in a repository that encrypts. */
  @Test
  void plainUploadsEndWhenTheirRepositoryEncrypts() throws Exception {
    String id = begin("edge/fw", 2_000);
    String other = begin("vault/fw", 2_000);
    send(id, content(2_000), 0, 1_000);
    catalog.encryptRepository("edge");
    uploads.endPlainOf("edge");
    uploads.endPlainOf("vault");
    assertThat(memory.keptUploads()).isZero();
    assertThat(list()).extracting(UploadStatus::id).containsExactly(other);
    String again =
        uploads.begin("you", new IngestRequest(id("edge/fw"), "a/b", 9, List.of()), "").id();
    assertThat(rows.find(again).orElseThrow().encrypted()).isTrue();
  }
}
