package io.artifactserver.storage.remote.s3;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.BlobStore.StoredBlob;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.InMemoryBlobChecksums;
import io.artifactserver.core.blob.InMemoryDataKeyStore;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.nightly.Nightly;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.core.testserver.FaultProxy;
import io.artifactserver.core.testserver.FaultProxy.Fault;
import io.artifactserver.core.testserver.FaultProxy.Request;
import io.artifactserver.core.testserver.S3ProxyServer;
import io.artifactserver.storage.encrypted.EncryptedBlobStore;
import io.artifactserver.storage.encrypted.KeyRing;
import io.artifactserver.storage.remote.checked.CheckedBlobStore;
import io.artifactserver.storage.remote.journal.UploadJournals;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The fate of uploads when the way to the bucket breaks, lies or stalls: plain and encrypted, in
 * one request and in parts, an upload fails or is stored byte for byte; what else is in the bucket
 * can be swept, no memory is kept, and once the way is good the next upload works, without a
 * restart.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Execution(ExecutionMode.CONCURRENT)
class UploadFaultsTest {
  private static final int PART = 5 << 20;
  private static final int SMALL = 300_001;
  private static final int LARGE = PART + 70_001;

  /** More than the uploads of a test. */
  private static final int UPLOADS = 8;

  private static final byte[] RANDOM = new byte[LARGE + 2 * UPLOADS];

  static {
    new Random(1).nextBytes(RANDOM);
  }

  @TempDir private static Path serverFolder;
  private static S3ProxyServer server;

  private final List<AutoCloseable> open = new ArrayList<>();

  /** The step that the fault happens to. */
  enum Step {
    PUT(SMALL),
    CREATE(LARGE),
    PART(LARGE),
    COMPLETE(LARGE),
    CHECK(SMALL);

    private final int length;

    Step(int length) {
      this.length = length;
    }

    boolean isThis(Request request) {
      boolean isPost = request.method().equals("POST");
      return switch (this) {
        case PUT, PART -> request.method().equals("PUT");
        case CREATE -> isPost && request.target().contains("uploads");
        case COMPLETE -> isPost && request.target().contains("uploadId=");
        case CHECK -> request.method().equals("HEAD");
      };
    }
  }

  @BeforeAll
  static void startServer() throws Exception {
    server = S3ProxyServer.start(serverFolder);
  }

  @AfterAll
  static void stopServer() throws Exception {
    server.close();
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable each : open.reversed()) {
      each.close();
    }
  }

  /** Stalls first: what waits for a timeout does so beside all others. */
  static Stream<Arguments> cases() {
    List<Arguments> stalls = new ArrayList<>();
    List<Arguments> others = new ArrayList<>();
    for (Step step : Step.values()) {
      for (Fault fault : faults(step)) {
        List<Arguments> cases = isStall(fault) ? stalls : others;
        cases.add(Arguments.of(step, fault, false));
        // Encryption happens before anything that can fail here.
        if (Nightly.IS_NOW) {
          cases.add(Arguments.of(step, fault, true));
        }
      }
    }
    return Stream.concat(stalls.stream(), others.stream());
  }

  private static boolean isStall(Fault fault) {
    return fault instanceof Fault.Stall || fault instanceof Fault.StallUpload;
  }

  private static List<Fault> faults(Step step) {
    List<Fault> faults =
        new ArrayList<>(
            List.of(
                // The answer is lost, or in part.
                new Fault.Reset(0),
                new Fault.Truncate(0),
                new Fault.Stall(0),
                new Fault.Delay(20),
                // It was not done, or done in spite of what the answer says.
                new Fault.Refuse(500, "InternalError"),
                new Fault.Refuse(503, "SlowDown"),
                new Fault.Deny(500, "InternalError"),
                new Fault.Deny(503, "SlowDown")));
    if (step != Step.CHECK) {
      // Behind the head of an answer that says 200.
      faults.add(new Fault.Refuse(200, "InternalError"));
      faults.add(new Fault.Deny(200, "InternalError"));
      faults.add(new Fault.ResetUpload(0));
    }
    if (step == Step.PUT || step == Step.PART) {
      faults.add(new Fault.ResetUpload(200_000));
      faults.add(new Fault.TruncateUpload(200_000));
      faults.add(new Fault.StallUpload(200_000));
      faults.add(new Fault.FlipUpload(70_000));
      faults.add(new Fault.ShiftUpload());
    }
    if (step == Step.COMPLETE) {
      faults.add(new Fault.Reset(20));
      faults.add(new Fault.Truncate(20));
    }
    return faults;
  }

  @ParameterizedTest(name = "{0}, {1}, encrypted: {2}")
  @MethodSource("cases")
  void anUploadIsStoredOrFails(Step step, Fault fault, boolean isEncrypted) throws Exception {
    FaultProxy proxy = opened(FaultProxy.start(server.port()));
    S3TestServer s3 =
        opened(
            new S3TestServer(
                proxy.endpoint(),
                Map.of(
                    // The server reads all of a bucket to list a part of it.
                    "bucket",
                    BlobRef.newKey(),
                    // Bytes are only read to be compared.
                    "chunk-size",
                    "1MB",
                    "max-attempts",
                    "2",
                    "max-connections",
                    "6",
                    "read-timeout",
                    isStall(fault) ? "2s" : "2m")));
    S3BlobStore remote = s3.open();
    BlobStore checked =
        new CheckedBlobStore(
            remote,
            new InMemoryBlobChecksums(),
            UploadJournals.in(serverFolder.resolve("journals")));
    BlobStore store =
        isEncrypted
            ? new EncryptedBlobStore(
                checked, new InMemoryDataKeyStore(), KeyRing.ephemeral(), 64 * 1024)
            : checked;
    Map<BlobRef, byte[]> stored = new HashMap<>();
    // Now and then, then always. Nothing of one test is as long as that of another.
    int[] count = {0};
    proxy.plan(Integer.MAX_VALUE, request -> step.isThis(request) && count[0]++ % 2 == 0, fault);
    upload(store, step.length + 1, stored);
    upload(store, step.length + 2, stored);
    proxy.recover();
    proxy.plan(Integer.MAX_VALUE, step::isThis, fault);
    upload(store, step.length + 3, stored);
    assertThat(count[0]).as("requests that were meant").isPositive();
    proxy.recover();

    int before = stored.size();
    eventually(
        "the next upload works",
        () -> {
          upload(store, step.length + 4, stored);
          return stored.size() > before;
        });
    for (Map.Entry<BlobRef, byte[]> entry : stored.entrySet()) {
      eventually("it can be read", () -> isRight(store, entry.getKey(), entry.getValue()));
    }
    assertThat(s3.budgetUsed()).isZero();
    Set<String> acknowledged =
        stored.keySet().stream().map(BlobRef::key).collect(Collectors.toSet());
    eventually(
        "all else can be swept",
        () -> {
          sweep(remote, acknowledged);
          return keys(remote).equals(acknowledged) && uploads(s3) == 0;
        });
    for (Map.Entry<BlobRef, byte[]> entry : stored.entrySet()) {
      eventually("it is there still", () -> isRight(store, entry.getKey(), entry.getValue()));
    }
  }

  /** As the sweeper does when all of it is old enough: some of it only it could ask for. */
  private static void sweep(BlobStore store, Set<String> known) throws StorageException {
    // Uploads under way are left alone, so there may be none.
    int _ = store.removeAbandonedUploads(Instant.now().plus(Duration.ofDays(1)));
    List<BlobRef> orphans;
    try (Stream<StoredBlob> blobs = store.list()) {
      orphans = blobs.map(StoredBlob::ref).filter(ref -> !known.contains(ref.key())).toList();
    }
    for (BlobRef orphan : orphans) {
      store.delete(orphan);
    }
  }

  private static int uploads(S3TestServer s3) {
    return s3.client()
        .listMultipartUploads(request -> request.bucket(s3.bucket()))
        .uploads()
        .size();
  }

  private <T extends AutoCloseable> T opened(T resource) {
    open.add(resource);
    return resource;
  }

  /** Adds it if it was acknowledged. */
  private static void upload(BlobStore store, int length, Map<BlobRef, byte[]> stored) {
    // Each length begins elsewhere.
    int begin = length % UPLOADS;
    byte[] content = Arrays.copyOfRange(RANDOM, begin, begin + length);
    try (BlobUpload upload = store.begin()) {
      for (ByteBuffer rest = ByteBuffer.wrap(content); rest.hasRemaining(); ) {
        int piece = Math.min(1 << 20, rest.remaining());
        upload.write(rest.slice(rest.position(), piece));
        rest.position(rest.position() + piece);
      }
      stored.put(upload.commit(), content);
    } catch (StorageException e) {
      // An error is an answer.
      assertThat(e)
          .isInstanceOf(StorageException.StorageUnavailable.class)
          .hasMessageContaining("s3");
    }
  }

  private static boolean isRight(BlobStore store, BlobRef ref, byte[] content) {
    ByteBuffer target = ByteBuffer.allocate(content.length);
    try (RangeReader reader = store.blob(ref).open(ByteRange.whole(content.length))) {
      while (reader.read(target) >= 0) {
        // Reads on.
      }
    } catch (StorageException.StorageUnavailable e) {
      return false;
    } catch (StorageException e) {
      throw new AssertionError("An acknowledged blob", e);
    }
    assertThat(Arrays.mismatch(target.array(), content)).isEqualTo(-1);
    return true;
  }

  private static Set<String> keys(BlobStore store) throws StorageException {
    try (Stream<StoredBlob> blobs = store.list()) {
      return blobs.map(blob -> blob.ref().key()).collect(Collectors.toSet());
    }
  }
}
