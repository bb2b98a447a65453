package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventuallyPasses;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.rest.command.Commands;
import io.artifactserver.rest.command.doctor.DoctorCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code doctor --public-url} in front of proxies that are right, and of one for each fault. */
@ExtendWith(SharedServer.class)
class PublicUrlIT {
  private static final int PATIENT = 30;

  private static final List<String> CHECKS =
      List.of(
          "public URL",
          "compression",
          "length and tag",
          "range",
          "several ranges",
          "conditions",
          "uploads",
          "events",
          "client address");

  private final PackagedServer server;
  @TempDir private Path folder;

  PublicUrlIT(PackagedServer server) {
    this.server = server;
  }

  @Test
  void theServerItselfAndAGoodProxyAreRight() throws Exception {
    try (FaultyProxy proxy = new FaultyProxy(server.port(), FaultyProxy.Fault.NONE)) {
      for (String url : List.of(proxy.url(), server.uri("").toString())) {
        Report report = ask(url, PATIENT);
        assertThat(report.status).as(report.text).isZero();
        assertThat(CHECKS)
            .allSatisfy(check -> assertThat(report.text).contains("ok    " + check + " = "));
        assertThat(report.text).contains("9 checks: 0 warn, 0 fail. docs/front.md");
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "LIMITS_UPLOADS, fail  uploads = status 413",
    "KEEPS_UPLOADS, fail  uploads = no answer within 2 s",
    "KEEPS_ANSWERS, fail  events = no answer within 2 s",
    "COMPRESSES, fail  compression = gzip",
    "DROPS_RANGE, fail  range = status 200",
    "SHIFTS_RANGE, fail  range = status 206",
    "DROPS_SEVERAL_RANGES, warn  several ranges = status 200",
    "DROPS_CONDITIONS, 'fail  conditions = If-None-Match 200, If-Range 206'",
    "DROPS_LENGTH, fail  length and tag = -1 bytes",
    "WEAKENS_TAG, fail  length and tag = ",
    "DROPS_DIGEST, warn  length and tag = ",
    "REDIRECTS, 'fail  public URL = HTTP/1.1, status 308'",
    "TAKES_THE_CLIENT_AWAY, fail  client address = 127.0.0.1",
    "IS_NOT_TRUSTED, fail  client address = 127.0.0.1"
  })
  void aFaultOnTheWayIsNamed(FaultyProxy.Fault fault, String line) throws Exception {
    try (FaultyProxy proxy = new FaultyProxy(server.port(), fault)) {
      // A busy machine may take two seconds for what is no fault.
      eventuallyPasses(
          line,
          () -> {
            Report report = ask(proxy.url(), line.contains("no answer") ? 2 : PATIENT);
            assertThat(report.text).contains(line);
            assertThat(report.status).isEqualTo(line.startsWith("fail") ? 1 : 0);
            assertThat(proxy.sawToken())
                .as("the token is for the server alone")
                .isEqualTo(!line.startsWith("fail  public URL"));
          });
    }
  }

  /** Nothing is asked that a token or an artifact is needed for, and the report says so. */
  @Test
  void withoutTokenAndArtifactItSaysWhatItDidNotAsk() {
    Report report = run("--public-url=" + server.uri(""));
    assertThat(report.status).isZero();
    assertThat(report.text)
        .contains(
            "ok    uploads = ",
            "warn  range = not asked",
            "warn  events = not asked",
            "warn  client address = not asked");
  }

  /** It answers nothing, in clear or before there is a connection of TLS. */
  @ParameterizedTest
  @ValueSource(strings = {"http", "https"})
  void aServerThatSaysNothingIsAFailureInTime(String scheme) throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 100, InetAddress.getLoopbackAddress())) {
      Report report =
          run(
              "--public-url=%s://127.0.0.1:%d".formatted(scheme, silent.getLocalPort()),
              "--timeout=1");
      assertThat(report.text).contains("fail  public URL = ");
      assertThat(report.status).isEqualTo(1);
    }
  }

  /** A device's token opens neither events nor addresses. */
  @Test
  void aTokenThatMayNotIsAWarning() throws Exception {
    try (Operator operator = new Operator(server)) {
      String token =
          operator
              .json("POST", "/api/v1/tokens", "{\"name\":\"doctor\",\"repositories\":[\"public\"]}")
              .body()
              .replaceAll("(?s).*\"token\":\"([^\"]+)\".*", "$1");
      Report report =
          run(
              "--public-url=" + server.uri(""),
              "--artifact=public/table.bin",
              "--token-file=" + Files.writeString(folder.resolve("device"), token));
      assertThat(report.status).isZero();
      assertThat(report.text)
          .contains("warn  events = status 403", "warn  client address = status 403")
          .doesNotContain(token);
    }
  }

  /** With a token of its own: the server notices later that its stream of events has ended. */
  private Report ask(String url, int seconds) throws IOException, InterruptedException {
    try (Operator operator = new Operator(server)) {
      String token = operator.adminToken("doctor of " + url);
      return run(
          "--public-url=" + url,
          "--artifact=public/table.bin",
          "--timeout=" + seconds,
          "--token-file=" + Files.writeString(folder.resolve("token"), token));
    }
  }

  private record Report(int status, String text) {}

  private static Report run(String... arguments) {
    StringWriter text = new StringWriter();
    int status =
        Commands.line(new DoctorCommand(), Map.of())
            .setOut(new PrintWriter(text))
            .execute(arguments);
    return new Report(status, text.toString());
  }
}
