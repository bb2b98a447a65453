package io.artifactserver.core.fetch;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.artifactserver.core.access.Caller;
import io.artifactserver.core.access.Role;
import io.artifactserver.core.access.Scope;
import io.artifactserver.core.blob.BlobStores;
import io.artifactserver.core.blob.InMemoryBlobStore;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.InMemoryArtifactCatalog;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.ingest.ArtifactIngest;
import io.artifactserver.core.ingest.IngestException;
import io.artifactserver.core.ingest.IngestRequest;
import io.artifactserver.core.ingest.Quota;
import io.artifactserver.core.limit.InMemoryQuotaStore;
import io.artifactserver.core.limit.QuotaLedger;
import io.artifactserver.core.release.InMemoryChannelStore;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Fetches go on where a connection broke, keep nothing of what is wrong, and take turns. */
class FetchesTest {
  private static final int LENGTH = 100_000;
  private static final long MAX_LENGTH = 1 << 20;
  private static final Duration TIMEOUT = Duration.ofHours(6);
  private static final URI URL = URI.create("https://mirror.example/firmware?secret");

  private final InMemoryBlobStore memory = new InMemoryBlobStore();
  private final InMemoryArtifactCatalog rows = new InMemoryArtifactCatalog();
  private final Quota quota = new Quota(MAX_LENGTH, 10L << 20, 0);
  private final byte[] content = content(LENGTH);
  private final FakeRemoteFiles files = new FakeRemoteFiles(content);
  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1000);
  private final List<FetchStatus> ended = new CopyOnWriteArrayList<>();
  private final Fetches fetches =
      new Fetches(
          new ArtifactIngest(
              rows,
              rows,
              new BlobStores(memory, InMemoryBlobStore.markingEncrypted()),
              quota,
              new QuotaLedger(new InMemoryQuotaStore(rows)),
              ForkJoinPool.commonPool(),
              () -> {},
              InMemoryChannelStore.book(rows)),
          files,
          new FetchBounds(4, TIMEOUT, Duration.ofNanos(1)),
          nanos::get,
          ended::add);

  @BeforeEach
  void createRepository() {
    rows.createRepository("edge", false, false);
  }

  @AfterEach
  void close() {
    fetches.close();
  }

  @Test
  void theBytesBecomeAnArtifact() throws Exception {
    FetchStatus status = fetch("a");
    assertThat(status.state()).isEqualTo(FetchState.COMPLETE);
    assertThat(status.received()).isEqualTo(LENGTH);
    assertThat(status.request().declaredLength()).isEqualTo(LENGTH);
    assertThat(stored("a")).isEqualTo(content);
    assertThat(files.open).isEmpty();
    assertThat(ended).extracting(FetchStatus::id).containsExactly(status.id());
  }

  @Test
  void aConnectionThatBreaksIsFollowedByTheRest() throws Exception {
    files.breaks.addAll(List.of(0, 3000, 40_000, -1, 0, 7));
    assertThat(fetch("a").state()).isEqualTo(FetchState.COMPLETE);
    assertThat(stored("a")).isEqualTo(content);
    assertThat(files.openings)
        .containsExactly(
            "0",
            "0",
            "3000 \"v1\"",
            "43000 \"v1\"",
            "43000 \"v1\"",
            "43000 \"v1\"",
            "43007 \"v1\"");
  }

  @Test
  void withoutAValidatorItBeginsAgain() throws Exception {
    files.validator = "";
    files.breaks.addAll(List.of(3000, 40_000));
    assertThat(fetch("a").state()).isEqualTo(FetchState.COMPLETE);
    assertThat(stored("a")).isEqualTo(content);
    assertThat(files.openings).containsExactly("0", "0", "0");
    files.breaks.addAll(List.of(1, 1, 1, 1, 1, 1));
    assertFailed(fetch("b"), "sends no rest of a file");
    assertThat(files.openings).hasSize(3 + FetchBounds.MAX_IN_A_ROW);
  }

  @Test
  void aFileThatChangesIsFetchedAgain() throws Exception {
    files.content = content(LENGTH + 5);
    files.breaks.add(1000);
    AtomicLong reads = new AtomicLong();
    files.onRead =
        () -> {
          if (reads.incrementAndGet() == 2) {
            files.validator = "\"v2\"";
            files.content = content;
          }
        };
    FetchStatus status = fetch("a");
    assertThat(status.failure()).isEmpty();
    assertThat(stored("a")).isEqualTo(content);
  }

  @Test
  void attemptsAreBounded() throws Exception {
    files.breaks.addAll(List.of(-1, -1, -1, -1, -1, -1));
    assertFailed(fetch("a"), "mirror.example cannot be reached");
    assertThat(files.openings).hasSize(FetchBounds.MAX_IN_A_ROW);
    files.breaks.clear();
    for (int i = 0; i < 100; i++) {
      files.breaks.add(1);
    }
    files.openings.clear();
    assertFailed(fetch("a"), "the connection broke");
    assertThat(files.openings).hasSize(FetchBounds.MAX_ATTEMPTS);
    assertNothingIsKept();
  }

  @Test
  void whatIsRefusedIsNotAskedForAgain() throws Exception {
    files.isRefused = true;
    assertFailed(fetch("a"), "mirror.example answered 404");
    assertThat(files.openings).hasSize(1);
  }

  @Test
  void otherBytesAreNotKept() throws Exception {
    files.content = content(LENGTH + 1);
    FetchStatus status = fetch("a");
    assertThat(status.state()).isEqualTo(FetchState.FAILED);
    assertThat(status.failure()).containsInstanceOf(IngestException.DigestMismatch.class);
    assertNothingIsKept();
  }

  @Test
  void aFileThatIsTooLongIsRefusedBeforeItsFirstByte() throws Exception {
    files.content = content((int) MAX_LENGTH + 1);
    AtomicBoolean isRead = new AtomicBoolean();
    files.onRead = () -> isRead.set(true);
    assertThat(fetch("a").failure()).containsInstanceOf(IngestException.TooLarge.class);
    assertThat(isRead).isFalse();
    files.tellsLength = false;
    assertThat(fetch("b").failure()).containsInstanceOf(IngestException.TooLarge.class);
    assertNothingIsKept();
  }

  @Test
  void timeIsBounded() throws Exception {
    files.onRead = () -> nanos.addAndGet(TIMEOUT.toNanos() / 3);
    assertFailed(fetch("a"), "it took longer than 21600 s");
    assertNothingIsKept();
  }

  @Test
  void aTokenThatIsTakenAwayEndsIt() throws Exception {
    AtomicBoolean mayGoOn = new AtomicBoolean(true);
    files.onRead = () -> mayGoOn.set(false);
    String id = fetches.begin(caller("me"), URL, request("a", content), mayGoOn::get).id();
    assertFailed(over(id), "was taken away");
    assertNothingIsKept();
  }

  @Test
  void itCanBeEnded() throws Exception {
    files.stalls = true;
    String running = begin("me", "a");
    eventually("it reads", () -> files.open.size() == 1);
    fetches.end(running);
    eventually("it is over", () -> ended.size() == 1);
    assertThat(ended.getFirst().state()).isEqualTo(FetchState.ENDED);
    assertThat(fetches.find(running)).isEmpty();
    fetches.end(running);
    assertNothingIsKept();
  }

  @Test
  void callersTakeTurns() throws Exception {
    files.stalls = true;
    for (int i = 0; i < 5; i++) {
      var _ = begin("first", "first" + i);
    }
    for (int i = 0; i < 2; i++) {
      var _ = begin("second", "second" + i);
    }
    var _ = begin("third", "third0");
    var _ = begin("fourth", "fourth0");
    assertThat(running()).containsExactly("first0", "first1", "second0", "third0");
    fetches.end(fetches.list().getFirst().id());
    eventually("another one runs", () -> running().size() == 4);
    assertThat(running()).containsExactly("first1", "second0", "third0", "fourth0");
  }

  @Test
  void theirNumberIsBounded() throws Exception {
    files.stalls = true;
    for (int i = 0; i < FetchBounds.MAX_OF_OWNER; i++) {
      var _ = begin("me", "a" + i);
      var _ = i == 0 ? "" : begin("other" + i % 3, "b" + i);
    }
    assertThatExceptionOfType(TooManyFetchesException.class)
        .isThrownBy(() -> begin("me", "b"))
        .withMessageContaining("Your token has 100");
    var _ = begin("more", "c");
    assertThatExceptionOfType(TooManyFetchesException.class)
        .isThrownBy(() -> begin("somebody", "b"))
        .withMessageContaining("The server has 200");
  }

  @Test
  void theOldestAreForgotten() throws Exception {
    files.isRefused = true;
    String first = fetch("a").id();
    for (int i = 0; i < FetchBounds.MAX_FINISHED_OF_OWNER; i++) {
      var _ = fetch("a");
    }
    eventually("it is forgotten", () -> fetches.find(first).isEmpty());
    assertThat(fetches.list()).hasSize(FetchBounds.MAX_FINISHED_OF_OWNER);
  }

  @Test
  void aPathThatIsTakenIsRefusedAtOnce() throws Exception {
    assertThat(fetch("a").state()).isEqualTo(FetchState.COMPLETE);
    assertThatExceptionOfType(IngestException.PathTaken.class)
        .isThrownBy(() -> fetches.begin(caller("me"), URL, request("a", content(7)), () -> true));
    assertThat(fetch("a").state()).isEqualTo(FetchState.COMPLETE);
  }

  private List<String> running() {
    return fetches.list().stream()
        .filter(each -> each.state() == FetchState.RUNNING)
        .map(each -> each.request().id().path())
        .toList();
  }

  private FetchStatus fetch(String path) throws Exception {
    return over(begin("me", path));
  }

  private String begin(String owner, String path) throws Exception {
    return fetches.begin(caller(owner), URL, request(path, content), () -> true).id();
  }

  private FetchStatus over(String id) {
    eventually("it is over", () -> ended.stream().anyMatch(each -> each.id().equals(id)));
    return ended.stream().filter(each -> each.id().equals(id)).findFirst().orElseThrow();
  }

  private byte[] stored(String path) {
    return memory.bytes(rows.find(new ArtifactId("edge", path)).orElseThrow().blob().key());
  }

  private void assertNothingIsKept() throws Exception {
    eventually("its room is given back", () -> quota.used() == 0);
    assertThat(memory.openUploads()).isZero();
    assertThat(rows.storedBytes()).isZero();
  }

  private static void assertFailed(FetchStatus status, String reason) {
    assertThat(status.state()).isEqualTo(FetchState.FAILED);
    assertThat(status.failure())
        .get()
        .extracting(Exception::getMessage)
        .asString()
        .contains(reason);
  }

  private static Caller caller(String id) {
    return new Caller(id, id, Role.PUBLISHER, Scope.ALL);
  }

  private static IngestRequest request(String path, byte[] bytes) {
    return new IngestRequest(
        new ArtifactId("edge", path),
        "application/octet-stream",
        IngestRequest.UNKNOWN_LENGTH,
        List.of(
            Digest.of(
                DigestAlgorithm.SHA_256,
                DigestAlgorithm.SHA_256.newMessageDigest().digest(bytes))));
  }

  private static byte[] content(int length) {
    byte[] content = new byte[length];
    new Random(length).nextBytes(content);
    return content;
  }
}
