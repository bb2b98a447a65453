package io.artifactserver.rest.api.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.artifactserver.core.fetch.RemoteChangedException;
import io.artifactserver.core.fetch.RemoteFile;
import io.artifactserver.core.fetch.RemoteRefusedException;
import io.artifactserver.rest.endtoend.HttpsOrigin;
import io.artifactserver.rest.endtoend.TestAuthority;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The client against servers with certificates. 127.0.0.1 stands for an address of the internet,
 * and 127.0.0.2 for one of a private network.
 */
class HttpsFilesTest {
  private static final String HOST = "mirror.example";
  private static final String OTHER = "other.example";
  private static final String UNNAMED = "unnamed.example";
  private static final String INTERNAL = "internal.example";
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final String TAG = "\"v1\"";

  @TempDir private static Path folder;
  private static SSLContext identity;
  private static SSLContext trust;

  private final byte[] content = new byte[300_000];
  private final Deque<String> addresses = new ArrayDeque<>();
  private HttpsOrigin origin;
  private HttpsOrigin secret;
  private HttpsFiles files;

  @BeforeAll
  static void issue() throws Exception {
    TestAuthority authority = new TestAuthority(folder, "authority");
    authority.issue(
        "origin", "CN=origin", "san=dns:%s,dns:%s,dns:%s".formatted(HOST, OTHER, INTERNAL));
    identity = authority.client("origin");
    trust = authority.client(null);
  }

  @BeforeEach
  void start() throws Exception {
    new Random(1).nextBytes(content);
    origin = new HttpsOrigin(identity, InetAddress.ofLiteral("127.0.0.1"), 0);
    secret = new HttpsOrigin(identity, InetAddress.ofLiteral("127.0.0.2"), origin.port());
    origin.file("/file", content, TAG, HttpsOrigin::never);
    secret.file("/file", content, TAG, HttpsOrigin::never);
    files = files(trust);
  }

  @AfterEach
  void stop() {
    files.close();
    origin.close();
    secret.close();
  }

  @Test
  void sendsTheBytes() throws Exception {
    try (RemoteFile file = open("/file")) {
      assertThat(file.length()).isEqualTo(content.length);
      assertThat(file.validator()).isEqualTo(TAG);
      assertThat(all(file)).isEqualTo(content);
    }
  }

  /** Neither of ours, nor what another server made the client keep. */
  @Test
  void sendsNoCredentialsAndNoCookies() throws Exception {
    origin.answer(
        "/cookie",
        exchange -> {
          exchange.getResponseHeaders().set("Set-Cookie", "a=b; Path=/");
          exchange.getResponseHeaders().set("WWW-Authenticate", "Basic realm=\"a\"");
          exchange.sendResponseHeaders(401, -1);
        });
    assertRefused(url(HOST, "/cookie"), HOST + " answered 401");
    open("/file").close();
    assertThat(origin.asked()).hasSize(2);
    assertThat(origin.asked().getLast().fields())
        .contains("accept-encoding=[identity]")
        .doesNotContain("cookie", "authorization", "referer");
  }

  @Test
  void asksForTheRest() throws Exception {
    try (RemoteFile file = files.open(url(HOST, "/file"), 1000, TAG, PATIENCE)) {
      assertThat(file.length()).isEqualTo(content.length);
      assertThat(all(file)).isEqualTo(Arrays.copyOfRange(content, 1000, content.length));
    }
    assertThat(origin.asked().getLast().fields())
        .contains("range=[bytes=1000-]", "if-range=[\"v1\"]");
  }

  @Test
  void anotherFileIsNoRest() throws Exception {
    assertThatExceptionOfType(RemoteChangedException.class)
        .isThrownBy(() -> files.open(url(HOST, "/file"), 1000, "\"v0\"", PATIENCE));
    origin.answer(
        "/wrong",
        exchange -> {
          exchange.getResponseHeaders().set("Content-Range", "bytes 5-9/10");
          exchange.sendResponseHeaders(206, -1);
        });
    assertThatThrownBy(() -> files.open(url(HOST, "/wrong"), 4, TAG, PATIENCE))
        .isInstanceOf(RemoteRefusedException.class);
    assertRefused(url(HOST, "/wrong"), "answered 206");
  }

  @ParameterizedTest
  @ValueSource(strings = {"W/\"v1\"", ""})
  void aWeakTagIsNoValidator(String tag) throws Exception {
    origin.file("/weak", content, tag, HttpsOrigin::never);
    try (RemoteFile file = open("/weak")) {
      assertThat(file.validator()).isEmpty();
    }
    origin.answer(
        "/dated",
        exchange -> {
          exchange.getResponseHeaders().set("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT");
          exchange.sendResponseHeaders(200, -1);
        });
    try (RemoteFile file = open("/dated")) {
      assertThat(file.validator()).isEqualTo("Sun, 06 Nov 1994 08:49:37 GMT");
      assertThat(file.length()).isZero();
    }
  }

  @ParameterizedTest
  @CsvSource({"404, true", "403, true", "503, false", "500, false", "429, false"})
  void anErrorIsPassingOrNot(int status, boolean isRefused) {
    origin.answer("/error", exchange -> exchange.sendResponseHeaders(status, -1));
    assertThatThrownBy(() -> open("/error"))
        .isInstanceOf(IOException.class)
        .hasMessage("%s answered %d".formatted(HOST, status))
        .matches(failure -> failure instanceof RemoteRefusedException == isRefused);
  }

  @Test
  void anAddressThatIsNotPublicIsNotConnectedTo() {
    addresses.add("127.0.0.2");
    assertRefused(url(HOST, "/file"), "127.0.0.2, which is not public");
    // One bad address among good ones, too.
    addresses.add("127.0.0.1 127.0.0.2");
    assertRefused(url(HOST, "/file"), "127.0.0.2, which is not public");
    assertThat(origin.asked()).isEmpty();
    assertThat(secret.asked()).isEmpty();
  }

  /** The name is public when the fetch begins, and private when it asks for the rest. */
  @Test
  void aNameThatIsRebound() throws Exception {
    origin.file("/cut", content, TAG, () -> 1000);
    addresses.addAll(List.of("127.0.0.1", "127.0.0.2"));
    try (RemoteFile file = open("/cut")) {
      assertThatThrownBy(() -> all(file)).isInstanceOf(IOException.class);
    }
    assertThatExceptionOfType(RemoteRefusedException.class)
        .isThrownBy(() -> files.open(url(HOST, "/cut"), 1000, TAG, PATIENCE));
    assertThat(addresses).isEmpty();
    assertThat(origin.asked()).hasSize(1);
    assertThat(secret.asked()).isEmpty();
  }

  @Test
  void aPrivateHostMayHaveAnyAddress() throws Exception {
    addresses.add("127.0.0.2");
    try (RemoteFile file = files.open(url(INTERNAL, "/file"), 0, "", PATIENCE)) {
      assertThat(all(file)).isEqualTo(content);
    }
    assertThat(secret.asked()).hasSize(1);
  }

  @Test
  void followsRedirectsWithinTheList() throws Exception {
    origin.redirect("/relative", "file");
    origin.redirect("/other", url(OTHER, "/file").toString());
    for (String path : new String[] {"/relative", "/other"}) {
      try (RemoteFile file = files.open(url(HOST, path), 1000, TAG, PATIENCE)) {
        assertThat(all(file)).isEqualTo(Arrays.copyOfRange(content, 1000, content.length));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://evil.example/file",
        "http://mirror.example/file",
        "file:///etc/passwd",
        "https://me@mirror.example/file",
        "https://mirror.example:1/file",
        "//evil.example/file",
        "https://127.0.0.2/file",
        "https:///",
        ":",
        "",
      })
  void followsNoRedirectOutOfTheList(String location) {
    origin.redirect("/away", location);
    assertRefused(url(HOST, "/away"), HOST + " redirects to");
    assertThat(secret.asked()).isEmpty();
  }

  @Test
  void checksTheAddressOfARedirectToo() {
    origin.redirect("/other", url(OTHER, "/file").toString());
    addresses.addAll(List.of("127.0.0.1", "127.0.0.2"));
    assertRefused(url(HOST, "/other"), OTHER + " has the address 127.0.0.2");
    assertThat(secret.asked()).isEmpty();
  }

  @Test
  void redirectsAreBounded() throws Exception {
    for (int i = 0; i < 7; i++) {
      origin.redirect("/hop" + i, i == 0 ? "/file" : "/hop" + (i - 1));
    }
    open("/hop4").close();
    assertRefused(url(HOST, "/hop5"), "redirects more than 5 times");
  }

  @Test
  void waitsForNoBytesForLong() throws Exception {
    CountDownLatch over = new CountDownLatch(1);
    origin.answer("/silent", exchange -> HttpsOrigin.await(over, 60_000));
    origin.answer(
        "/stalls",
        exchange -> {
          exchange.sendResponseHeaders(200, 1000);
          exchange.getResponseBody().write(content, 0, 10);
          exchange.getResponseBody().flush();
          HttpsOrigin.await(over, 60_000);
        });
    assertThatThrownBy(() -> open("/silent"))
        .isInstanceOf(IOException.class)
        .isNotInstanceOf(RemoteRefusedException.class);
    try (RemoteFile file = open("/stalls")) {
      assertThatThrownBy(() -> all(file)).isInstanceOf(IOException.class);
    }
    over.countDown();
  }

  @Test
  void endsWhenItsTimeIsOver() {
    origin.answer(
        "/trickles",
        exchange -> {
          exchange.sendResponseHeaders(200, 1000);
          for (int i = 0; i < 1000; i++) {
            exchange.getResponseBody().write(1);
            exchange.getResponseBody().flush();
            HttpsOrigin.await(new CountDownLatch(1), 100);
          }
        });
    assertThatThrownBy(
            () -> {
              try (RemoteFile file =
                  files.open(url(HOST, "/trickles"), 0, "", Duration.ofSeconds(2))) {
                all(file);
              }
            })
        .isInstanceOf(IOException.class);
  }

  /** Nobody outside knows the objects of the client, which its own messages name. */
  @Test
  void failuresAreInPlainWords() throws Exception {
    origin.answer(
        "/cut",
        exchange -> {
          exchange.sendResponseHeaders(200, 1000);
          exchange.getResponseBody().write(1);
          exchange.getResponseBody().flush();
          throw new IOException("cut");
        });
    try (RemoteFile file = open("/cut")) {
      assertThatThrownBy(() -> all(file)).hasMessage(HOST + ": the connection broke off");
    }
    CountDownLatch over = new CountDownLatch(1);
    origin.answer("/silent", _ -> HttpsOrigin.await(over, 60_000));
    assertThatThrownBy(() -> open("/silent"))
        .hasMessage("%s:%d cannot be reached: nothing came in time", HOST, origin.port());
    over.countDown();
    int port = origin.port();
    origin.close();
    assertThatThrownBy(
            () -> files.open(URI.create("https://%s:%d/".formatted(HOST, port)), 0, "", PATIENCE))
        .hasMessage("%s:%d cannot be reached: it takes no connection", HOST, port);
  }

  @Test
  void closingWakesAReader() throws Exception {
    CountDownLatch over = new CountDownLatch(1);
    origin.answer(
        "/stalls",
        exchange -> {
          exchange.sendResponseHeaders(200, 1000);
          exchange.getResponseBody().flush();
          HttpsOrigin.await(over, 60_000);
        });
    try (RemoteFile file = open("/stalls")) {
      Thread closer = Thread.ofVirtual().start(file::close);
      assertThatThrownBy(() -> all(file)).isInstanceOf(IOException.class);
      closer.join();
    }
    over.countDown();
  }

  @Test
  void trustsNoOtherCertificate() throws Exception {
    try (HttpsFiles strict = files(null)) {
      assertThatExceptionOfType(RemoteRefusedException.class)
          .isThrownBy(() -> strict.open(url(HOST, "/file"), 0, "", PATIENCE))
          .withMessageContaining("is not trusted");
    }
    // A good certificate of another name.
    assertRefused(url(UNNAMED, "/file"), "is not trusted");
    assertThat(origin.asked()).isEmpty();
  }

  private HttpsFiles files(@Nullable SSLContext trusted) {
    int port = origin.port();
    FetchProperties properties =
        new FetchProperties(
            List.of(HOST + ':' + port, OTHER + ':' + port, UNNAMED + ':' + port),
            List.of(INTERNAL + ':' + port),
            4,
            Duration.ofHours(1),
            Duration.ofSeconds(2));
    return new HttpsFiles(
        properties,
        this::lookUp,
        address -> !address.getHostAddress().equals("127.0.0.2"),
        trusted);
  }

  private InetAddress[] lookUp(String host) {
    String found = addresses.isEmpty() ? "127.0.0.1" : addresses.removeFirst();
    return Arrays.stream(found.split(" ")).map(InetAddress::ofLiteral).toArray(InetAddress[]::new);
  }

  private URI url(String host, String path) {
    return origin.uri(host, path);
  }

  private RemoteFile open(String path) throws IOException {
    return files.open(url(HOST, path), 0, "", PATIENCE);
  }

  private void assertRefused(URI url, String reason) {
    assertThatExceptionOfType(RemoteRefusedException.class)
        .isThrownBy(() -> files.open(url, 0, "", PATIENCE))
        .withMessageContaining(reason);
  }

  private static byte[] all(RemoteFile file) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    byte[] buffer = new byte[10_000];
    int read = file.read(buffer, 0, buffer.length);
    while (read >= 0) {
      bytes.write(buffer, 0, read);
      read = file.read(buffer, 0, buffer.length);
    }
    return bytes.toByteArray();
  }
}
