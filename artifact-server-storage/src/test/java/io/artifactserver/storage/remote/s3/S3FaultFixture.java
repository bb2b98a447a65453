package io.artifactserver.storage.remote.s3;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStore.StoredBlob;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.core.testserver.FaultProxy;
import io.artifactserver.core.testserver.FaultProxy.Request;
import io.artifactserver.core.testserver.S3ProxyServer;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.model.ListMultipartUploadsResponse;

/** A store behind a proxy that does what a test plans, and a prefix of its own for each test. */
abstract class S3FaultFixture {
  static final int CHUNK = S3TestServer.CHUNK_LENGTH;
  static final int WINDOW = S3TestServer.WINDOW;
  static final int PART = 5 << 20;
  static final int ATTEMPTS = 4;

  @TempDir private static Path folder;
  private static S3ProxyServer server;

  String prefix;
  FaultProxy proxy;
  S3TestServer s3;
  S3BlobStore store;

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
    // A cancelled transfer gives its memory back when it ends.
    await(() -> s3.budgetUsed() == 0);
    s3.close();
    proxy.close();
  }

  static byte[] content(int length) {
    byte[] content = new byte[length];
    new SplittableRandom(length).nextBytes(content);
    return content;
  }

  BlobRef store(byte[] content) throws StorageException {
    return store(store, BlobRef.newKey(), content);
  }

  static BlobRef store(S3BlobStore target, String key, byte[] content) throws StorageException {
    try (BlobUpload upload = target.begin(key)) {
      upload.write(ByteBuffer.wrap(content));
      return upload.commit();
    }
  }

  void requireRead(BlobRef ref, ByteRange range, byte[] content) throws StorageException {
    assertThat(read(store, ref, range))
        .isEqualTo(
            range.isEmpty()
                ? new byte[0]
                : Arrays.copyOfRange(content, (int) range.position(), (int) range.end()));
  }

  static byte[] read(S3BlobStore source, BlobRef ref, ByteRange range) throws StorageException {
    ByteBuffer target = ByteBuffer.allocate((int) range.length());
    readInto(source, ref, range, target);
    assertThat(target.hasRemaining()).isFalse();
    return target.array();
  }

  static void readInto(S3BlobStore source, BlobRef ref, ByteRange range, ByteBuffer target)
      throws StorageException {
    ByteBuffer piece = ByteBuffer.allocate(10_000);
    try (RangeReader reader = source.blob(ref).open(range)) {
      while (reader.read(piece) >= 0) {
        target.put(piece.flip());
        piece.clear();
      }
    }
  }

  void overwrite(BlobRef ref, byte[] bytes) {
    s3.client()
        .putObject(
            request -> request.bucket("blobs").key(prefix + "/blobs/" + ref.key()),
            RequestBody.fromBytes(bytes));
  }

  void requireNothingLeft() throws StorageException {
    ListMultipartUploadsResponse uploads =
        s3.client().listMultipartUploads(request -> request.bucket("blobs").prefix(prefix));
    assertThat(uploads.uploads()).isEmpty();
    try (Stream<StoredBlob> blobs = store.list()) {
      assertThat(blobs).isEmpty();
    }
  }

  static boolean fails(S3BlobStore source, BlobRef ref) {
    try {
      read(source, ref, ByteRange.whole(10));
      return false;
    } catch (StorageException.StorageUnavailable e) {
      return true;
    } catch (StorageException e) {
      throw new AssertionError(e);
    }
  }

  static boolean failsWithoutARequest(FaultProxy between, S3BlobStore source, BlobRef ref) {
    between.reset();
    return fails(source, ref) && between.requests().isEmpty();
  }

  List<String> rangesAsked() {
    return proxy.requests("GET").stream()
        .map(request -> request.field("Range").orElse(""))
        .toList();
  }

  static String wire(ByteRange range) {
    return "bytes=%d-%d".formatted(range.position(), range.end() - 1);
  }

  @SuppressWarnings("UnnecessaryLambda") // Reads as a condition.
  static Predicate<Request> isGet() {
    return request -> request.method().equals("GET");
  }

  @SuppressWarnings("UnnecessaryLambda")
  static Predicate<Request> isPut() {
    return request -> request.method().equals("PUT");
  }

  @SuppressWarnings("UnnecessaryLambda")
  static Predicate<Request> completes() {
    return request -> request.method().equals("POST") && request.target().contains("uploadId=");
  }

  /** A GET of bytes from a position on. */
  static Predicate<Request> from(long position) {
    return request -> {
      String range = request.field("Range").orElse("bytes=0-");
      return Long.parseLong(range.substring("bytes=".length(), range.indexOf('-'))) >= position;
    };
  }

  static void await(BooleanSupplier isSo) {
    eventually("what the test waits for", isSo::getAsBoolean);
  }
}
