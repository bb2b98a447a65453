package io.artifactserver.storage.s3;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStore.StoredBlob;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.core.testserver.FaultProxy;
import io.artifactserver.core.testserver.FaultProxy.Fault;
import io.artifactserver.core.testserver.FaultProxy.Request;
import io.artifactserver.core.testserver.S3ProxyServer;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.model.ListMultipartUploadsResponse;

/** Exactly which requests go out, and what becomes of them when the network or the server fails. */
class S3FaultTest {
  private static final int CHUNK = S3TestServer.CHUNK_LENGTH;
  private static final int WINDOW = S3TestServer.WINDOW;
  private static final int PART = 5 << 20;
  private static final int ATTEMPTS = 4;

  @TempDir private static Path folder;
  private static S3ProxyServer server;

  private String prefix;
  private FaultProxy proxy;
  private S3TestServer s3;
  private S3BlobStore store;

  @BeforeAll
  static void startServer() throws Exception {
    server = S3ProxyServer.start(folder);
  }

  @AfterAll
  static void stopServer() throws Exception {
    server.close();
  }

  @BeforeEach
  void openStore() throws Exception {
    prefix = BlobRef.newKey();
    proxy = FaultProxy.start(server.port());
    s3 = new S3TestServer(proxy.endpoint(), Map.of("prefix", prefix));
    store = s3.open();
  }

  @AfterEach
  void closeStore() throws Exception {
    // What was cancelled gives back what it had when it ends.
    await(() -> s3.budgetUsed() == 0);
    s3.close();
    proxy.close();
  }

  // Which requests go out.

  @Test
  void aRangeUpToAChunkIsOneGetOfItsBytes() throws Exception {
    byte[] content = content(3 * CHUNK);
    BlobRef ref = store(content);
    for (ByteRange range :
        List.of(
            new ByteRange(0, 1),
            new ByteRange(10, 1000),
            new ByteRange(CHUNK - 5, CHUNK),
            new ByteRange(content.length - 1, 1))) {
      proxy.reset();
      requireRead(ref, range, content);
      assertThat(rangesAsked()).containsExactly(wire(range));
      assertThat(proxy.requests()).hasSize(1);
      assertThat(proxy.bodyBytes()).isEqualTo(range.length());
    }
  }

  @Test
  void aRangeThatIsAskedForGoesOutBeforeItIsRead() throws Exception {
    byte[] content = content(2 * CHUNK);
    BlobRef ref = store(content);
    ByteRange range = new ByteRange(5, CHUNK);
    try (S3TestServer own = new S3TestServer(proxy.endpoint(), Map.of("prefix", prefix))) {
      S3BlobStore fresh = own.open();
      assertThat(fresh.blob(ref).ask(range)).as("without a connection").isEmpty();
      read(fresh, ref, ByteRange.whole(1));
      assertThat(fresh.blob(ref).ask(new ByteRange(5, 0))).as("no byte").isEmpty();
      assertThat(fresh.blob(ref).ask(new ByteRange(5, CHUNK + 1))).as("two chunks").isEmpty();
      for (int i = 0; i < 3; i++) {
        proxy.reset();
        try (RangeReader reader = fresh.blob(ref).ask(range).orElseThrow()) {
          await(() -> proxy.requests().size() == 1);
          ByteBuffer target = ByteBuffer.allocate(CHUNK);
          while (target.hasRemaining()) {
            assertThat(reader.read(target)).isPositive();
          }
          assertThat(target.array()).isEqualTo(Arrays.copyOfRange(content, 5, CHUNK + 5));
          assertThat(reader.read(ByteBuffer.allocate(1))).isEqualTo(-1);
        }
        assertThat(rangesAsked()).containsExactly(wire(range));
        assertThat(proxy.requests()).hasSize(1);
        assertThat(proxy.bodyBytes()).isEqualTo(CHUNK);
      }
    }
  }

  /** It may never be read: its client has gone. */
  @Test
  void aRangeThatIsAskedForAndNotReadGivesItsConnectionBack() throws Exception {
    byte[] content = content(CHUNK);
    BlobRef ref = store(content);
    try (S3TestServer one =
        new S3TestServer(proxy.endpoint(), Map.of("prefix", prefix, "max-connections", "1"))) {
      S3BlobStore narrow = one.open();
      for (int i = 0; i < 5; i++) {
        assertThat(read(narrow, ref, ByteRange.whole(CHUNK))).isEqualTo(content);
        RangeReader reader = narrow.blob(ref).ask(ByteRange.whole(CHUNK)).orElseThrow();
        assertThat(narrow.blob(ref).ask(ByteRange.whole(CHUNK))).as("no second one").isEmpty();
        reader.close();
        assertThat(one.budgetUsed()).isZero();
      }
    }
  }

  @Test
  void aLongRangeIsItsChunksAndNoMoreThanTheWindowAtOnce() throws Exception {
    byte[] content = content(11 * CHUNK + 77);
    BlobRef ref = store(content);
    ByteRange range = new ByteRange(CHUNK / 2, 10L * CHUNK + 5);
    proxy.reset();
    proxy.plan(Integer.MAX_VALUE, isGet(), new Fault.Delay(20));
    requireRead(ref, range, content);
    List<String> expected = new ArrayList<>();
    for (long position = range.position(); position < range.end(); position += CHUNK) {
      expected.add(wire(new ByteRange(position, Math.min(CHUNK, range.end() - position))));
    }
    assertThat(rangesAsked()).containsExactlyInAnyOrderElementsOf(expected);
    assertThat(proxy.bodyBytes()).isEqualTo(range.length());
    assertThat(proxy.peakInFlight()).isBetween(2, WINDOW);
  }

  @Test
  void anEmptyRangeAsksWhetherThereIsABlob() throws Exception {
    BlobRef ref = store(content(10));
    proxy.reset();
    requireRead(ref, new ByteRange(3, 0), new byte[0]);
    assertThat(proxy.requests().stream().map(Request::method)).containsExactly("HEAD");
  }

  @Test
  void everyGetButAStrangersFirstIsPinnedToTheEntityTag() throws Exception {
    byte[] content = content(5 * CHUNK);
    BlobRef ref = store(content);
    proxy.reset();
    requireRead(ref, ByteRange.whole(100), content);
    String tag = proxy.requests("GET").getFirst().field("If-Match").orElseThrow();
    assertThat(tag).startsWith("\"").endsWith("\"");
    try (S3TestServer other = new S3TestServer(proxy.endpoint(), Map.of("prefix", prefix))) {
      S3BlobStore stranger = other.open();
      proxy.reset();
      read(stranger, ref, ByteRange.whole(100));
      read(stranger, ref, ByteRange.whole(content.length));
      List<Request> gets = proxy.requests("GET");
      assertThat(gets.getFirst().field("If-Match")).isEmpty();
      assertThat(gets.subList(1, gets.size()))
          .hasSize(5)
          .allSatisfy(get -> assertThat(get.field("If-Match")).contains(tag));
    }
  }

  @Test
  void aReaderThatStopsStopsTheFetching() throws Exception {
    byte[] content = content(40 * CHUNK);
    BlobRef ref = store(content);
    proxy.reset();
    try (RangeReader reader = store.blob(ref).open(ByteRange.whole(content.length))) {
      assertThat(reader.read(ByteBuffer.allocate(10))).isEqualTo(10);
      await(() -> proxy.requests("GET").size() >= WINDOW);
      Thread.sleep(300);
      assertThat(proxy.requests("GET")).hasSizeLessThanOrEqualTo(WINDOW + 1);
    }
    Thread.sleep(300);
    assertThat(proxy.requests("GET")).hasSizeLessThanOrEqualTo(WINDOW + 1);
  }

  @Test
  void anAbandonedReaderCancelsWhatIsUnderWayAndGivesItsConnectionsBack() throws Exception {
    byte[] content = content(40 * CHUNK);
    BlobRef ref = store(content);
    CountDownLatch held = new CountDownLatch(1);
    try (S3TestServer few =
        new S3TestServer(
            proxy.endpoint(), Map.of("prefix", prefix, "max-connections", "" + WINDOW))) {
      S3BlobStore narrow = few.open();
      for (int i = 0; i < 5; i++) {
        proxy.reset();
        proxy.plan(Integer.MAX_VALUE, isGet().and(from(CHUNK)), new Fault.Hold(held));
        try (RangeReader reader = narrow.blob(ref).open(ByteRange.whole(content.length))) {
          assertThat(reader.read(ByteBuffer.allocate(CHUNK))).isPositive();
        }
        await(() -> few.budgetUsed() == 0);
        proxy.recover();
      }
      assertThat(read(narrow, ref, ByteRange.whole(content.length))).isEqualTo(content);
    } finally {
      held.countDown();
    }
  }

  // Reads that go wrong.

  @Test
  void aResetConnectionIsTriedAgain() throws Exception {
    byte[] content = content(CHUNK);
    BlobRef ref = store(content);
    proxy.plan(2, isGet(), new Fault.Reset(0));
    requireRead(ref, ByteRange.whole(CHUNK), content);
  }

  @Test
  void aRangeThatIsAskedForInVainIsAskedForAgain() throws Exception {
    byte[] content = content(CHUNK);
    BlobRef ref = store(content);
    ByteRange range = ByteRange.whole(CHUNK);
    for (Fault fault :
        List.of(
            new Fault.Reset(0),
            new Fault.Reset(1234),
            new Fault.Truncate(1234),
            new Fault.Refuse(503, "SlowDown"),
            new Fault.Refuse(500, "InternalError"))) {
      requireRead(ref, range, content);
      proxy.reset();
      proxy.plan(1, isGet(), fault);
      try (RangeReader reader = store.blob(ref).ask(range).orElseThrow()) {
        ByteBuffer target = ByteBuffer.allocate(CHUNK);
        while (target.hasRemaining()) {
          assertThat(reader.read(target)).as("%s", fault).isPositive();
        }
        assertThat(target.array()).as("%s", fault).isEqualTo(content);
      }
      assertThat(proxy.requests("GET")).as("%s", fault).hasSize(2);
    }
  }

  @Test
  void aRangeThatIsAskedForOfAnObjectThatWasReplacedIsDamage() throws Exception {
    byte[] content = content(CHUNK);
    BlobRef ref = store(content);
    requireRead(ref, ByteRange.whole(CHUNK), content);
    overwrite(ref, content(CHUNK + 1));
    try (RangeReader reader = store.blob(ref).ask(ByteRange.whole(CHUNK)).orElseThrow()) {
      assertThatExceptionOfType(StorageException.BlobCorrupt.class)
          .isThrownBy(() -> reader.read(ByteBuffer.allocate(CHUNK)));
    }
  }

  @Test
  void aBodyThatIsCutGoesOnAtTheRightByte() throws Exception {
    byte[] content = content(3 * CHUNK);
    BlobRef ref = store(content);
    proxy.reset();
    proxy.plan(1, isGet(), new Fault.Truncate(1234));
    proxy.plan(1, isGet(), new Fault.Truncate(1));
    proxy.plan(1, isGet(), new Fault.Truncate(0));
    requireRead(ref, new ByteRange(100, CHUNK), content);
    assertThat(rangesAsked())
        .containsExactly(
            wire(new ByteRange(100, CHUNK)),
            wire(new ByteRange(1334, CHUNK - 1234)),
            wire(new ByteRange(1335, CHUNK - 1235)),
            wire(new ByteRange(1335, CHUNK - 1235)));
    assertThat(proxy.requests("GET"))
        .allSatisfy(get -> assertThat(get.field("If-Match")).isPresent());
  }

  @Test
  void aBodyThatIsResetGoesOn() throws Exception {
    byte[] content = content(8 * CHUNK);
    BlobRef ref = store(content);
    proxy.plan(5, isGet(), new Fault.Reset(1000));
    requireRead(ref, ByteRange.whole(content.length), content);
  }

  @Test
  void aBodyThatStallsGoesOnAfterTheReadTimeout() throws Exception {
    byte[] content = content(2 * CHUNK);
    BlobRef ref = store(content);
    try (S3TestServer impatient =
        new S3TestServer(proxy.endpoint(), Map.of("prefix", prefix, "read-timeout", "5s"))) {
      S3BlobStore own = impatient.open();
      proxy.reset();
      proxy.plan(1, isGet(), new Fault.Stall(500));
      assertThat(read(own, ref, ByteRange.whole(CHUNK))).isEqualTo(Arrays.copyOf(content, CHUNK));
      assertThat(rangesAsked())
          .containsExactly(wire(ByteRange.whole(CHUNK)), wire(new ByteRange(500, CHUNK - 500)));
    }
  }

  @Test
  void aBodyThatNeverComesWholeIsGivenUp() throws Exception {
    BlobRef ref = store(content(CHUNK));
    proxy.reset();
    proxy.plan(Integer.MAX_VALUE, isGet(), new Fault.Truncate(10));
    assertThatExceptionOfType(StorageException.StorageUnavailable.class)
        .isThrownBy(() -> read(store, ref, ByteRange.whole(CHUNK)))
        .withMessageContaining(ref.key())
        .withMessageContaining("broke off");
    assertThat(proxy.requests("GET")).hasSizeLessThanOrEqualTo(5);
  }

  @Test
  void slowDownAndServerErrorsAreTriedAgainAndThenGivenUp() throws Exception {
    byte[] content = content(CHUNK);
    BlobRef ref = store(content);
    for (Fault error :
        List.of(
            new Fault.Refuse(503, "SlowDown"),
            new Fault.Refuse(500, "InternalError"),
            new Fault.Refuse(502, "BadGateway"))) {
      proxy.reset();
      proxy.plan(ATTEMPTS - 1, isGet(), error);
      requireRead(ref, ByteRange.whole(CHUNK), content);
      assertThat(proxy.requests("GET")).hasSize(ATTEMPTS);
      proxy.reset();
      proxy.plan(Integer.MAX_VALUE, isGet(), error);
      assertThatExceptionOfType(StorageException.StorageUnavailable.class)
          .isThrownBy(() -> read(store, ref, ByteRange.whole(CHUNK)))
          .withMessageContaining(ref.key());
      assertThat(proxy.requests("GET")).hasSize(1 + ATTEMPTS);
      proxy.recover();
      requireRead(ref, ByteRange.whole(CHUNK), content);
    }
  }

  @Test
  void aBucketThatForbidsPresignedAddressesIsReadWithoutThem() throws Exception {
    byte[] content = content(3 * CHUNK);
    BlobRef ref = store(content);
    proxy.reset();
    proxy.plan(
        Integer.MAX_VALUE, isGet().and(isPresigned()), new Fault.Refuse(403, "AccessDenied"));
    for (int i = 0; i < 3; i++) {
      requireRead(ref, new ByteRange(i * 10L, CHUNK), content);
    }
    assertThat(proxy.requests("GET")).hasSize(4);
    assertThat(proxy.requests("GET").stream().filter(isPresigned())).hasSize(1);
  }

  @Test
  void anErrorInOneChunkFailsTheReadWithRightBytesBefore() throws Exception {
    byte[] content = content(20 * CHUNK);
    BlobRef ref = store(content);
    proxy.plan(Integer.MAX_VALUE, isGet().and(from(9L * CHUNK)), new Fault.Refuse(503, "SlowDown"));
    ByteBuffer received = ByteBuffer.allocate(content.length);
    assertThatExceptionOfType(StorageException.StorageUnavailable.class)
        .isThrownBy(() -> readInto(store, ref, ByteRange.whole(content.length), received));
    assertThat(Arrays.copyOf(received.array(), received.position()))
        .isEqualTo(Arrays.copyOf(content, received.position()));
    assertThat(received.position()).isLessThanOrEqualTo(9 * CHUNK);
  }

  @Test
  void aReplacedObjectIsNeverSpliced() throws Exception {
    byte[] content = content(20 * CHUNK);
    byte[] other = new byte[content.length];
    BlobRef ref = store(content);
    ByteBuffer received = ByteBuffer.allocate(content.length);
    try (RangeReader reader = store.blob(ref).open(ByteRange.whole(content.length))) {
      reader.read(received.limit(CHUNK));
      overwrite(ref, other);
      received.limit(content.length);
      assertThatExceptionOfType(StorageException.BlobCorrupt.class)
          .isThrownBy(() -> {
            while (reader.read(received) >= 0) {
              assertThat(received.position()).isPositive();
            }
          })
          .withMessageContaining("replaced")
          .satisfies(e -> assertThat(e.ref().key()).isEqualTo(ref.key()));
    }
    assertThat(Arrays.copyOf(received.array(), received.position()))
        .isEqualTo(Arrays.copyOf(content, received.position()));
  }

  @Test
  void anObjectOfAnotherLengthIsDamage() throws Exception {
    for (int length : new int[] {0, 10, CHUNK - 1, CHUNK + 1}) {
      BlobRef ref = store(content(CHUNK));
      overwrite(ref, new byte[length]);
      try (S3TestServer other = new S3TestServer(proxy.endpoint(), Map.of("prefix", prefix))) {
        S3BlobStore stranger = other.open();
        for (ByteRange range :
            List.of(
                ByteRange.whole(CHUNK),
                new ByteRange(0, 5),
                new ByteRange(CHUNK - 1, 1),
                new ByteRange(7, 0))) {
          assertThatExceptionOfType(StorageException.BlobCorrupt.class)
              .isThrownBy(() -> read(stranger, ref, range));
        }
      }
    }
  }

  @Test
  void anInterruptEndsAReadAtOnce() throws Exception {
    byte[] content = content(CHUNK);
    BlobRef ref = store(content);
    try (S3TestServer single =
        new S3TestServer(
            proxy.endpoint(),
            Map.of("prefix", prefix, "max-connections", "1", "read-timeout", "10m"))) {
      S3BlobStore narrow = single.open();
      proxy.reset();
      proxy.plan(1, isGet(), new Fault.Stall(100));
      FutureTask<byte[]> reading =
          new FutureTask<>(() -> read(narrow, ref, ByteRange.whole(CHUNK)));
      Thread reader = Thread.ofVirtual().start(reading);
      await(() -> proxy.bodyBytes() == 100);
      reader.interrupt();
      assertThatExceptionOfType(ExecutionException.class)
          .isThrownBy(() -> reading.get(1, TimeUnit.MINUTES))
          .withCauseInstanceOf(StorageException.StorageUnavailable.class);
      assertThat(read(narrow, ref, ByteRange.whole(CHUNK))).isEqualTo(content);
    }
  }

  @Test
  void aServerThatDiesFailsFastAndIsUsedAgainWhenItIsBack(@TempDir Path own) throws Exception {
    try (S3ProxyServer mortal = S3ProxyServer.start(own);
        FaultProxy between = FaultProxy.start(mortal.port());
        S3TestServer settings = new S3TestServer(between.endpoint(), Map.of())) {
      S3BlobStore survivor = settings.open();
      byte[] content = content(30 * CHUNK);
      BlobRef ref;
      try (BlobUpload upload = survivor.begin()) {
        upload.write(ByteBuffer.wrap(content));
        ref = upload.commit();
      }
      ByteBuffer received = ByteBuffer.allocate(content.length);
      try (RangeReader reader = survivor.blob(ref).open(ByteRange.whole(content.length))) {
        reader.read(received.limit(CHUNK));
        mortal.kill();
        received.limit(content.length);
        assertThatExceptionOfType(StorageException.StorageUnavailable.class)
            .isThrownBy(() -> {
              while (reader.read(received) >= 0) {
                assertThat(received.position()).isPositive();
              }
            });
      }
      assertThat(Arrays.copyOf(received.array(), received.position()))
          .isEqualTo(Arrays.copyOf(content, received.position()));
      await(() -> fails(survivor, ref) && failsWithoutARequest(between, survivor, ref));
      assertThatExceptionOfType(StorageException.StorageUnavailable.class)
          .isThrownBy(() -> {
            try (BlobUpload upload = survivor.begin()) {
              upload.write(ByteBuffer.wrap(content));
              upload.commit();
            }
          });
      mortal.restart();
      await(() -> !fails(survivor, ref));
      assertThat(read(survivor, ref, ByteRange.whole(content.length))).isEqualTo(content);
      survivor.check();
    }
  }

  // Uploads.

  @Test
  void aSmallBlobIsOnePutUnderACondition() throws Exception {
    proxy.reset();
    store(content(PART - 1));
    List<Request> requests = proxy.requests();
    assertThat(requests.stream().map(Request::method)).containsExactly("PUT", "HEAD");
    assertThat(requests.getFirst().field("If-None-Match")).contains("*");
    assertThat(requests.getFirst().field("x-amz-checksum-crc32c")).isPresent();
  }

  @Test
  void aLargerBlobGoesInPartsEachWithItsChecksum() throws Exception {
    byte[] content = content(2 * PART + 1);
    proxy.reset();
    BlobRef ref = store(content);
    List<Request> requests = proxy.requests();
    assertThat(requests.stream().map(Request::method))
        .containsExactlyInAnyOrder("POST", "PUT", "PUT", "PUT", "POST", "HEAD");
    assertThat(requests.getFirst().target()).contains("uploads");
    List<Request> parts = proxy.requests("PUT");
    assertThat(parts)
        .allSatisfy(part -> {
          assertThat(part.target()).contains("partNumber=").contains("uploadId=");
          assertThat(part.field("x-amz-checksum-crc32c")).isPresent();
        });
    assertThat(proxy.requests("POST").getLast().field("If-None-Match")).contains("*");
    assertThat(proxy.peakInFlight()).isLessThanOrEqualTo(WINDOW);
    requireRead(ref, ByteRange.whole(content.length), content);
  }

  @Test
  void noMorePartsThanTheWindowAreUnderWay() throws Exception {
    byte[] content = content(7 * PART);
    proxy.reset();
    proxy.plan(Integer.MAX_VALUE, isPut(), new Fault.Delay(100));
    BlobRef ref = store(content);
    assertThat(proxy.peakInFlight()).isBetween(2, WINDOW);
    requireRead(ref, new ByteRange(content.length - 10, 10), content);
  }

  @Test
  void aPartThatIsLostIsSentAgain() throws Exception {
    byte[] content = content(3 * PART);
    proxy.plan(1, isPut(), new Fault.Reset(0));
    proxy.plan(1, isPut(), new Fault.Refuse(503, "SlowDown"));
    proxy.plan(1, isPut(), new Fault.Refuse(500, "InternalError"));
    BlobRef ref = store(content);
    requireRead(ref, ByteRange.whole(content.length), content);
  }

  @Test
  void anUploadThatFailsLeavesNothing() throws Exception {
    proxy.plan(Integer.MAX_VALUE, isPut(), new Fault.Refuse(500, "InternalError"));
    assertThatExceptionOfType(StorageException.StorageUnavailable.class)
        .isThrownBy(() -> store(content(3 * PART)));
    assertThat(proxy.requests("DELETE")).hasSize(1);
    requireNothingLeft();
    assertThatExceptionOfType(StorageException.StorageUnavailable.class)
        .isThrownBy(() -> store(content(10)));
    proxy.recover();
    requireNothingLeft();
  }

  @Test
  void aFullServerIsSaidToBeFull() throws Exception {
    proxy.plan(Integer.MAX_VALUE, isPut(), new Fault.Refuse(507, "InsufficientStorage"));
    assertThatExceptionOfType(StorageException.StorageFull.class)
        .isThrownBy(() -> store(content(10)));
  }

  @Test
  void anAnswerThatIsLostDoesNotLoseTheBlob() throws Exception {
    byte[] large = content(PART + 1);
    proxy.plan(1, completes(), new Fault.Reset(0));
    requireRead(store(large), ByteRange.whole(large.length), large);
    byte[] small = content(1000);
    proxy.plan(1, isPut(), new Fault.Reset(0));
    requireRead(store(small), ByteRange.whole(small.length), small);
  }

  /** The client parses this body after the last of its attempts, and throws what comes raw. */
  @Test
  void anAnswerThatBreaksOffAfterItsHeadDoesNotLoseTheBlob() throws Exception {
    byte[] large = content(PART + 1);
    proxy.plan(1, completes(), new Fault.Truncate(0));
    requireRead(store(large), ByteRange.whole(large.length), large);
  }

  @Test
  void anAnswerThatBreaksOffForAnUnknownBlobIsAnOutage() throws Exception {
    proxy.plan(1, completes(), new Fault.Truncate(0));
    proxy.plan(
        Integer.MAX_VALUE, request -> request.method().equals("HEAD"), new Fault.Refuse(404, ""));
    assertThatExceptionOfType(StorageException.StorageUnavailable.class)
        .isThrownBy(() -> store(content(PART + 1)))
        .withMessageContaining("broke off");
  }

  @Test
  void aBlobWhoseCommitCannotBeVerifiedIsTakenBack() throws Exception {
    proxy.plan(ATTEMPTS, request -> request.method().equals("HEAD"), new Fault.Refuse(500, ""));
    assertThatExceptionOfType(StorageException.StorageUnavailable.class)
        .isThrownBy(() -> store(content(1000)));
    requireNothingLeft();
  }

  @Test
  void aServerThatDoesNotKnowTheConditionIsUsedWithout() throws Exception {
    byte[] content = content(1000);
    for (String code : List.of("NotImplemented", "InvalidArgument")) {
      try (S3TestServer settings = new S3TestServer(proxy.endpoint(), Map.of("prefix", prefix))) {
        S3BlobStore fresh = settings.open();
        proxy.reset();
        proxy.plan(
            Integer.MAX_VALUE,
            request -> request.field("If-None-Match").isPresent(),
            new Fault.Refuse(code.equals("NotImplemented") ? 501 : 400, code));
        BlobRef first = store(fresh, BlobRef.newKey(), content);
        BlobRef second = store(fresh, BlobRef.newKey(), content);
        assertThat(read(fresh, first, ByteRange.whole(content.length))).isEqualTo(content);
        assertThat(
                proxy.requests("PUT").stream()
                    .filter(request -> request.field("If-None-Match").isPresent()))
            .hasSize(1);
        assertThatExceptionOfType(StorageException.class)
            .isThrownBy(() -> store(fresh, second.key(), new byte[5]));
        assertThat(read(fresh, second, ByteRange.whole(content.length))).isEqualTo(content);
        proxy.recover();
      }
    }
  }

  // The store.

  @Test
  void aListingAsksForItsPagesOneByOne() throws Exception {
    for (int i = 0; i < 3; i++) {
      store(content(i + 1));
    }
    proxy.reset();
    try (Stream<StoredBlob> blobs = store.list()) {
      assertThat(blobs.iterator().next().ref().length()).isPositive();
    }
    assertThat(proxy.requests()).hasSize(1);
    proxy.plan(Integer.MAX_VALUE, isGet(), new Fault.Refuse(500, "InternalError"));
    assertThatExceptionOfType(StorageException.StorageUnavailable.class)
        .isThrownBy(() -> store.list().close())
        .withMessageContaining("list");
  }

  @Test
  void deletingIsTriedAgain() throws Exception {
    BlobRef ref = store(content(10));
    proxy.plan(1, request -> request.method().equals("DELETE"), new Fault.Refuse(503, "SlowDown"));
    store.delete(ref);
    assertThatExceptionOfType(StorageException.BlobNotFound.class)
        .isThrownBy(() -> read(store, ref, ByteRange.whole(10)));
  }

  @Test
  void theCheckWritesOnceAndAsksThen() throws Exception {
    proxy.reset();
    store.check();
    store.check();
    store.check();
    assertThat(proxy.requests().stream().map(Request::method))
        .containsExactly("PUT", "HEAD", "HEAD");
    proxy.plan(Integer.MAX_VALUE, request -> true, new Fault.Refuse(403, "AccessDenied"));
    assertThatExceptionOfType(StorageException.StorageUnavailable.class)
        .isThrownBy(store::check)
        .withMessageContaining("credentials")
        .withMessageContaining("blobs");
  }

  private static byte[] content(int length) {
    byte[] content = new byte[length];
    new Random(length).nextBytes(content);
    return content;
  }

  private BlobRef store(byte[] content) throws StorageException {
    return store(store, BlobRef.newKey(), content);
  }

  private static BlobRef store(S3BlobStore target, String key, byte[] content)
      throws StorageException {
    try (BlobUpload upload = target.begin(key)) {
      upload.write(ByteBuffer.wrap(content));
      return upload.commit();
    }
  }

  private void requireRead(BlobRef ref, ByteRange range, byte[] content) throws StorageException {
    assertThat(read(store, ref, range))
        .isEqualTo(
            range.isEmpty()
                ? new byte[0]
                : Arrays.copyOfRange(content, (int) range.position(), (int) range.end()));
  }

  private static byte[] read(S3BlobStore source, BlobRef ref, ByteRange range)
      throws StorageException {
    ByteBuffer target = ByteBuffer.allocate((int) range.length());
    readInto(source, ref, range, target);
    assertThat(target.hasRemaining()).isFalse();
    return target.array();
  }

  private static void readInto(S3BlobStore source, BlobRef ref, ByteRange range, ByteBuffer target)
      throws StorageException {
    ByteBuffer piece = ByteBuffer.allocate(10_000);
    try (RangeReader reader = source.blob(ref).open(range)) {
      while (reader.read(piece) >= 0) {
        target.put(piece.flip());
        piece.clear();
      }
    }
  }

  private void overwrite(BlobRef ref, byte[] bytes) {
    s3.client()
        .putObject(
            request -> request.bucket("blobs").key(prefix + "/blobs/" + ref.key()),
            RequestBody.fromBytes(bytes));
  }

  private void requireNothingLeft() throws StorageException {
    ListMultipartUploadsResponse uploads =
        s3.client().listMultipartUploads(request -> request.bucket("blobs").prefix(prefix));
    assertThat(uploads.uploads()).isEmpty();
    try (Stream<StoredBlob> blobs = store.list()) {
      assertThat(blobs).isEmpty();
    }
  }

  private static boolean fails(S3BlobStore source, BlobRef ref) {
    try {
      read(source, ref, ByteRange.whole(10));
      return false;
    } catch (StorageException.StorageUnavailable e) {
      return true;
    } catch (StorageException e) {
      throw new AssertionError(e);
    }
  }

  private static boolean failsWithoutARequest(FaultProxy between, S3BlobStore source, BlobRef ref) {
    between.reset();
    return fails(source, ref) && between.requests().isEmpty();
  }

  private List<String> rangesAsked() {
    return proxy.requests("GET").stream()
        .map(request -> request.field("Range").orElse(""))
        .toList();
  }

  private static String wire(ByteRange range) {
    return "bytes=%d-%d".formatted(range.position(), range.end() - 1);
  }

  @SuppressWarnings("UnnecessaryLambda") // Reads as a condition.
  private static Predicate<Request> isGet() {
    return request -> request.method().equals("GET");
  }

  @SuppressWarnings("UnnecessaryLambda")
  private static Predicate<Request> isPresigned() {
    return request -> request.target().contains("X-Amz-Signature=");
  }

  @SuppressWarnings("UnnecessaryLambda")
  private static Predicate<Request> isPut() {
    return request -> request.method().equals("PUT");
  }

  @SuppressWarnings("UnnecessaryLambda")
  private static Predicate<Request> completes() {
    return request -> request.method().equals("POST") && request.target().contains("uploadId=");
  }

  /** A GET of bytes from a position on. */
  private static Predicate<Request> from(long position) {
    return request -> {
      String range = request.field("Range").orElse("bytes=0-");
      return Long.parseLong(range.substring("bytes=".length(), range.indexOf('-'))) >= position;
    };
  }

  private static void await(BooleanSupplier isSo) {
    eventually("what the test waits for", isSo::getAsBoolean);
  }
}
