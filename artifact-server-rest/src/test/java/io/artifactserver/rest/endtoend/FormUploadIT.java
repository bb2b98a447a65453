package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static io.artifactserver.core.waiting.Eventually.isSoWithin;
import static io.artifactserver.core.waiting.Pacing.pause;
import static io.artifactserver.rest.endtoend.Siege.quietly;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.nightly.InTurn;
import io.artifactserver.core.nightly.Nightly;
import io.artifactserver.core.program.Programs;
import io.artifactserver.rest.endtoend.Wire.Response;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.json.JsonMapper;

/** Uploads as a form, by curl and by hand, and those who may not. */
@InTurn(4)
@Transports(
    value = {Transport.HTTP1, Transport.TLS13, Transport.H2},
    nightly = {Transport.H2C, Transport.TLS12})
class FormUploadIT extends EachTransport {
  private static final String BOUNDARY = "----Boundary7";
  private static final int LENGTH = 3_000_000;

  /** A token has half of 16. */
  private static final int PLACES = 8;

  private final byte[] content = Bytes.random(LENGTH, 57);
  @TempDir private Path folder;
  private Operator operator;
  private Client client;

  @BeforeEach
  void connect() throws Exception {
    operator = server.operator();
    client = new Client(folder, server);
    Files.write(folder.resolve("fw.bin"), content);
    Files.write(folder.resolve("other.bin"), Bytes.random(LENGTH, 58));
    Files.write(folder.resolve("empty.txt"), new byte[0]);
  }

  @AfterEach
  void disconnect() {
    operator.close();
  }

  @Test
  void curlUploadsAFileAsAPutWould() throws Exception {
    Programs.assumeInstalled("curl");
    String path = path("curl");
    Files.writeString(folder.resolve("form.curl"), "form = \"file=@fw.bin;filename=größe.bin\"\n");
    String created = curl(path, "-K", "form.curl");
    assertThat(created).endsWith(transport.isHttp2() ? " 201 2" : " 201 1.1");
    assertThat(created)
        .contains(sha256(content), "\"mediaType\":\"application/octet-stream\"", "\"md5\"");
    assertStored(path, content);
    assertThat(curl(path, "-F", "file=@fw.bin")).contains(" 200 ");
    assertThat(curl(path, "-F", "file=@fw.bin", "-H", "If-None-Match: *")).contains(" 412 ");
    assertThat(curl(path, "-F", "file=@other.bin")).contains(" 409 ", "Path taken");
    assertThat(curl(path("of-nothing").replace("public", "absent"), "-F", "file=@fw.bin"))
        .contains(" 404 ", "No such repository");
    assertThat(curl(path("empty"), "-F", "file=@empty.txt"))
        .contains(" 201 ", "\"mediaType\":\"text/plain\"");
    assertStored(path("empty"), new byte[0]);
  }

  @Test
  void curlSendsFieldsOnEitherSide() throws Exception {
    Programs.assumeInstalled("curl");
    String digest = "sha256=" + sha256(content);
    String type = "mediaType=application/x-fw";
    assertThat(curl(path("before"), "-F", digest, "-F", type, "-F", "file=@fw.bin"))
        .contains(" 201 ", "\"mediaType\":\"application/x-fw\"");
    assertThat(curl(path("behind"), "-F", "file=@fw.bin;type=a/b", "-F", type, "-F", digest))
        .contains(" 201 ", "\"mediaType\":\"application/x-fw\"");
    assertThat(curl(path("typed"), "-F", "file=@fw.bin;type=a/b", "-F", "token=x"))
        .contains(" 201 ", "\"mediaType\":\"a/b\"");
    assertThat(curl(path("typed"), "-F", "sha256=" + "0".repeat(64), "-F", "file=@fw.bin"))
        .contains(" 409 ");
    for (String[] order :
        new String[][] {
          {"-F", "sha256=" + "0".repeat(64), "-F", "file=@fw.bin"},
          {"-F", "file=@fw.bin", "-F", "sha256=" + "0".repeat(64)},
        }) {
      assertThat(curl(path("wrong"), order))
          .contains(
              " 400 ",
              "https://iana.org/assignments/http-problem-types#digest-mismatching-values",
              "sha256:" + sha256(content));
      assertThat(operator.get(path("wrong")).statusCode()).isEqualTo(404);
    }
  }

  /** They end with an answer, whatever of the body is still on its way. */
  @Test
  void curlSendsWhatIsNoForm() throws Exception {
    Programs.assumeInstalled("curl");
    for (String[] form :
        new String[][] {
          {"-F", "file=@fw.bin", "-F", "file=@other.bin"},
          {"-F", "File=@fw.bin"},
          {"-F", "sha256=x"},
          {"-F", "file=@fw.bin", "-F", "sha256=x"},
          {"-F", "file=@fw.bin;filename="},
        }) {
      assertThat(curl(path("none"), form)).containsPattern(" 4(00|13) ");
    }
    assertThat(curl(path("none"), "--data-binary", "file=x")).contains(" 405 ");
    assertThat(operator.get(path("none")).statusCode()).isEqualTo(404);
  }

  @ParameterizedTest
  @CsvSource({
    "nobody, '', '', 401",
    "stranger, '', '', 401",
    "device, '', '', 403",
    "reader, '', '', 403",
    "publisher, secret, '', 403",
    "publisher, public, elsewhere/*, 403",
  })
  void othersMayNot(String role, String repository, String paths, int status) throws Exception {
    String path = path("attack-" + role);
    String fields = authorization(token(role, repository, paths));
    byte[] form = form("nothing of yours");
    Response answer = ask(path, fields, form);
    if (status == 401) {
      // Many wrong tokens are answered with a 429.
      assertThat(answer.status()).isIn(401, 429);
    } else {
      assertThat(answer.status()).as(answer.text()).isEqualTo(status);
    }
    try (Wire wire = open()) {
      // Refused before its body, which never comes.
      wire.send(head(path, fields, 1_000_000));
      assertThat(wire.receive(true).status()).isIn(status, 429);
    }
    assertThat(operator.get(path).statusCode()).isEqualTo(404);
  }

  /** A browser sends no token by itself, and the form of another site is refused before that. */
  @Test
  void thePageOfAnotherSiteMayNot() throws Exception {
    String path = path("site");
    byte[] form = form("from elsewhere");
    String origin = "Origin: https://evil.example\r\n";
    assertThat(ask(path, "", form).status()).isIn(401, 429);
    assertThat(ask(path, origin, form).status()).isEqualTo(403);
    String token = authorization(server.operatorToken());
    assertThat(ask(path, token + origin, form).status()).isEqualTo(403);
    assertThat(ask(path, token + "Sec-Fetch-Site: cross-site\r\n", form).status()).isEqualTo(403);
    assertThat(ask(path, "Cookie: token=x\r\n", form).status()).isIn(401, 429);
    assertThat(operator.get(path).statusCode()).isEqualTo(404);
  }

  /** Over HTTP/2 a few at a time: more frames of a byte in a second end the connection. */
  @Test
  void aFormMayComeByteByByte() throws Exception {
    byte[] form = form("--\r\n--trickle");
    int piece = transport.isHttp2() ? 7 : 1;
    try (Wire wire = open()) {
      wire.send(head(path("trickle"), authorization(server.operatorToken()), form.length));
      for (int i = 0; i < form.length; i += piece) {
        wire.sendBytes(form, i, Math.min(piece, form.length - i));
      }
      assertThat(wire.receive(true).status()).isEqualTo(201);
    }
    assertStored(path("trickle"), "--\r\n--trickle".getBytes(StandardCharsets.UTF_8));
  }

  /**
   * More than there are places, in the head, in the file and behind it. The places are those of a
   * token that nobody else uses.
   */
  @Test
  void formsThatBreakOffLeaveNothing() throws Exception {
    Set<String> before = server.server().unfinishedFiles();
    String fields = authorization(token("publisher", "public", ""));
    byte[] form = form(new String(Bytes.random(100_000, 59), StandardCharsets.ISO_8859_1));
    String head = head(path("broken"), fields, form.length);
    for (int i = 0; i < 3 * PLACES; i++) {
      Wire wire = open();
      wire.send(head);
      wire.sendBytes(form, 0, new int[] {0, 50, 60_000, form.length - 10}[i % 4]);
      if (i % 2 == 0) {
        wire.reset();
      } else {
        wire.close();
      }
      eventually(
          "there is a place", () -> ask(path("whole"), fields, form("whole")).status() < 300);
    }
    requireNothingNew(before);
    assertThat(operator.get(path("broken")).statusCode()).isEqualTo(404);
  }

  /** In the file, and in the part of a file that has not begun. */
  @Test
  @Nightly("RequestBodyStream's own test has the rule; this one waits for a minute.")
  void oneThatIsTooSlowEnds() throws Exception {
    Set<String> before = server.server().unfinishedFiles();
    byte[] form = form("x".repeat(900));
    String head = head(path("slow"), authorization(server.operatorToken()), form.length);
    int inFile = 200;
    try (Wire first = open();
        Wire second = open()) {
      first.send(head);
      first.sendBytes(form, 0, inFile);
      second.send(head);
      int sent = 0;
      while (!(first.isAnswered() && second.isAnswered()) && sent < 100) {
        int position = sent;
        // The first to be refused may be closed before the other one.
        quietly(() -> first.sendBytes(form, inFile + position, 1));
        quietly(() -> second.sendBytes(form, position, 1));
        sent++;
        pause(Duration.ofSeconds(1));
      }
      for (Wire wire : List.of(first, second)) {
        Response refused = wire.receive(true);
        assertThat(refused.status()).as(refused.text()).isEqualTo(408);
        assertThat(refused.text()).contains("Upload too slow", "min-rate");
      }
    }
    requireNothingNew(before);
    assertThat(operator.get(path("slow")).statusCode()).isEqualTo(404);
  }

  @Test
  void theyHaveThePlacesOfOtherUploads() throws Exception {
    String token = token("publisher", "public", "");
    String put = path("put");
    Set<String> before = server.server().unfinishedFiles();
    List<Wire> waiting = new ArrayList<>();
    try {
      for (int i = 0; i < PLACES; i++) {
        waiting.add(takePlace(token));
      }
      // Some are refused as long as the server has not noticed that those of another test ended.
      eventually(
          "it has its places",
          () -> {
            if (isSoWithin(Duration.ofSeconds(1), () -> newFiles(before) >= PLACES)) {
              return true;
            }
            waiting.add(takePlace(token));
            return false;
          });
      assertThat(newFiles(before)).isEqualTo(PLACES);
      assertThat(operator.as(token, "PUT", put, "1").statusCode()).isEqualTo(503);
      Response refused = ask(path("one"), authorization(token), form("x"));
      assertThat(refused.status()).isEqualTo(503);
      assertThat(refused.field("Retry-After")).isPresent();
    } finally {
      for (Wire wire : waiting) {
        wire.close();
      }
    }
    eventually("the places are free", () -> operator.as(token, "PUT", put, "1").statusCode() < 300);
    requireNothingNew(before);
  }

  /** Begins an upload, which waits for its other bytes. */
  private Wire takePlace(String token) throws IOException {
    Wire wire = open();
    wire.send(head(path("place"), authorization(token), 1_000));
    wire.sendBytes(form("x".repeat(900)), 0, 120);
    return wire;
  }

  private long newFiles(Set<String> before) throws IOException {
    return server.server().unfinishedFiles().stream()
        .filter(file -> !before.contains(file))
        .count();
  }

  private void requireNothingNew(Set<String> before) {
    eventually("nothing is left", () -> newFiles(before) == 0);
  }

  /** The answer's body, its status and the version of HTTP. */
  private String curl(String path, String... options) throws Exception {
    List<String> command =
        new ArrayList<>(List.of("curl", "-sS", "-w", " %{http_code} %{http_version}"));
    command.add("-X");
    command.add("POST");
    command.add("-H");
    command.add("Authorization: Bearer " + server.operatorToken());
    command.addAll(List.of(options));
    command.add(server.uri(path).toString());
    return client.succeeds(command.toArray(String[]::new));
  }

  private Response ask(String path, String fields, byte[] body) throws IOException {
    try (Wire wire = open()) {
      wire.send(head(path, fields, body.length));
      // Some are refused before it.
      quietly(() -> wire.sendBytes(body, 0, body.length));
      return wire.receive(true);
    }
  }

  private static String head(String path, String fields, int length) {
    return "POST %s HTTP/1.1\r\nHost: x\r\n%sContent-Type: multipart/form-data; boundary=%s\r\nContent-Length: %d\r\n\r\n"
        .formatted(path, fields, BOUNDARY, length);
  }

  private static byte[] form(String file) {
    return "--%1$s\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.bin\"\r\n\r\n%2$s\r\n--%1$s--\r\n"
        .formatted(BOUNDARY, file)
        .getBytes(StandardCharsets.UTF_8);
  }

  private String path(String name) {
    return "/api/v1/repositories/public/artifacts/form/%s-%s"
        .formatted(transport.name().toLowerCase(Locale.ROOT), name);
  }

  private static String authorization(String token) {
    return token.isEmpty() ? "" : "Authorization: Bearer " + token + "\r\n";
  }

  private String token(String role, String repository, String paths) throws Exception {
    if (role.equals("nobody")) {
      return "";
    }
    if (role.equals("stranger")) {
      return "x".repeat(43);
    }
    String scope =
        (repository.isEmpty() ? "" : ",\"repositories\":[\"%s\"]".formatted(repository))
            + (paths.isEmpty() ? "" : ",\"paths\":[\"%s\"]".formatted(paths));
    String body = "{\"name\":\"form\",\"role\":\"%s\",\"expires\":\"1h\"%s}".formatted(role, scope);
    return JsonMapper.shared()
        .readTree(operator.json("POST", "/api/v1/tokens", body).body())
        .get("token")
        .asString();
  }

  private void assertStored(String path, byte[] bytes) throws Exception {
    String download = path.replace("/api/v1/repositories/public/artifacts", "/artifacts/public");
    assertThat(operator.download(download).body()).isEqualTo(bytes);
  }

  private static String sha256(byte[] bytes) {
    return Digest.of(
            DigestAlgorithm.SHA_256, DigestAlgorithm.SHA_256.newMessageDigest().digest(bytes))
        .hex();
  }
}
