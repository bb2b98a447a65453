package io.artifactserver.storage.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.testserver.FaultProxy;
import io.artifactserver.core.testserver.FaultProxy.Fault;
import io.artifactserver.core.testserver.FaultProxy.Request;
import io.artifactserver.core.testserver.S3ProxyServer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.core.sync.RequestBody;

/** By connections of their own, and by the SDK's HTTP client. */
@ParameterizedClass
@ValueSource(booleans = {true, false})
class PresignedGetsTest {
  private static final String OBJECT = "folder/an object+with=signs";

  @TempDir private static Path folder;
  private static S3ProxyServer server;

  @Parameter boolean isPlain;

  private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 5);
  private FaultProxy proxy;
  private S3TestServer s3;
  private PresignedGets gets;

  @BeforeAll
  static void startServer() throws Exception {
    server = S3ProxyServer.start(folder);
  }

  @AfterAll
  static void stopServer() throws Exception {
    server.close();
  }

  @BeforeEach
  void open() throws Exception {
    proxy = FaultProxy.start(server.port());
    // One connection: whatever does not give it back stops the next request.
    s3 = new S3TestServer(proxy.endpoint(), Map.of("max-connections", "1"));
    s3.open();
    s3.client()
        .putObject(
            request -> request.bucket("blobs").key(OBJECT), RequestBody.fromString("0123456789"));
    gets = s3.presignedGets(clock::get, isPlain);
    proxy.reset();
  }

  @AfterEach
  void close() throws Exception {
    gets.close();
    s3.close();
    proxy.close();
  }

  @Test
  void oneSignatureServesEveryRangeForAWhile() throws Exception {
    assertThat(read("bytes=0-3")).contains("0123");
    // Signatures carry the second.
    Thread.sleep(1100);
    assertThat(read("bytes=4-4")).contains("4");
    assertThat(targets()).hasSize(2);
    assertThat(targets().getFirst()).contains("X-Amz-Signature=").isEqualTo(targets().getLast());
    assertThat(proxy.requests())
        .allSatisfy(request -> assertThat(request.field("Authorization")).isEmpty());

    clock.addAndGet(PresignedGets.REUSE.toNanos());
    assertThat(read("bytes=9-9")).contains("9");
    assertThat(targets().getLast()).isNotEqualTo(targets().getFirst());
  }

  @Test
  void theHeadOfTheAnswerIsThere() throws Exception {
    ObjectAnswer answer = gets.get(OBJECT, "bytes=2-5", null).orElseThrow();
    answer.body().abort();
    assertThat(answer.contentRange()).isEqualTo("bytes 2-5/10");
    assertThat(answer.contentLength()).isEqualTo("4");
    assertThat(answer.entityTag()).startsWith("\"");
    assertThat(gets.get(OBJECT, "bytes=0-0", "\"another\"")).isEmpty();
    assertThat(read("bytes=0-0", answer.entityTag())).contains("0");
  }

  @Test
  void aRefusalStopsThemForAWhile() throws Exception {
    proxy.plan(1, request -> true, new Fault.Refuse(403, "AccessDenied"));
    assertThat(read("bytes=0-3")).isEmpty();
    proxy.reset();
    clock.addAndGet(PresignedGets.REFUSAL_PAUSE.toNanos() - 1);
    assertThat(read("bytes=0-3")).isEmpty();
    assertThat(proxy.requests()).isEmpty();
    clock.addAndGet(1);
    assertThat(read("bytes=0-3")).contains("0123");
  }

  @Test
  void whateverElseGoesWrongIsTriedAgainNextTime() throws Exception {
    for (Fault fault :
        List.of(
            new Fault.Refuse(503, "SlowDown"),
            new Fault.Refuse(429, "TooManyRequests"),
            new Fault.Refuse(404, "NoSuchKey"),
            new Fault.Refuse(412, "PreconditionFailed"),
            new Fault.Refuse(301, "PermanentRedirect"),
            new Fault.Reset(0))) {
      proxy.plan(1, request -> true, fault);
      assertThat(read("bytes=0-3")).as("%s", fault).isEmpty();
      assertThat(read("bytes=0-3")).as("after %s", fault).contains("0123");
    }
  }

  private List<String> targets() {
    return proxy.requests().stream().map(Request::target).toList();
  }

  private Optional<String> read(String range) throws IOException {
    return read(range, null);
  }

  private Optional<String> read(String range, @Nullable String pinned) throws IOException {
    Optional<ObjectAnswer> answer = gets.get(OBJECT, range, pinned);
    if (answer.isEmpty()) {
      return Optional.empty();
    }
    AnswerBody body = answer.get().body();
    ByteBuffer bytes = ByteBuffer.allocate(100);
    while (body.read(bytes, bytes.remaining()) >= 0) {
      assertThat(bytes.hasRemaining()).isTrue();
    }
    body.finish();
    String text = StandardCharsets.US_ASCII.decode(bytes.flip()).toString();
    return Optional.of(text);
  }
}
