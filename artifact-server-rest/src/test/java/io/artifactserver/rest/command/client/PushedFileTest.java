package io.artifactserver.rest.command.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import com.sun.net.httpserver.HttpHandler;
import io.artifactserver.core.catalog.ArtifactId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The files that a push takes, and what it leaves at a server that refuses them. */
@Timeout(300)
class PushedFileTest extends ClientFixture {
  private static final int PARTS_LENGTH = 3 * (16 << 20);

  @Test
  void aFifoIsRefused() throws Exception {
    Path fifo = folder.resolve("fifo");
    assertThat(new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor()).isZero();
    requireRefused(push(fifo, "boards/a.img"), 2, fifo + " is no regular file");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/dev/null", "/dev/zero"})
  void aDeviceIsRefused(String device) {
    requireRefused(push(device, "boards/a.img"), 2, device + " is no regular file");
  }

  @Test
  void aFolderIsRefused() {
    requireRefused(push(folder, "boards/a.img"), 2, folder + " is a folder");
    requireRefused(push("/", "boards/"), 2, "/ is a folder");
    requireRefused(push(".", "boards/"), 2, ". is a folder");
    requireRefused(push("", "boards/"), 2, "is a folder");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/proc/self/status", "/proc/cpuinfo"})
  void aFileThatDeliversMoreThanItsSizeIsNotPublished(String file) {
    assertThat(Path.of(file)).isRegularFile();
    requireRefused(push(file, "boards/a.img"), 1, file, "more bytes than");
  }

  @Test
  void nothingIsSentIfOneOfSeveralFilesIsNoFile() throws IOException {
    Path good = Files.writeString(folder.resolve("good"), "hello");
    requireRefused(push(good, folder.resolve("absent"), "boards/1.0"), 4, "absent");
    requireRefused(push(good, "/dev/null", "boards/1.0"), 2, "/dev/null");
  }

  @Test
  void twoFilesOfOneNameAreRefused() throws IOException {
    Files.createDirectories(folder.resolve("other"));
    Path first = Files.writeString(folder.resolve("a"), "hello");
    Path second = Files.writeString(folder.resolve("other/a"), "hallo");
    requireRefused(push(first, second, "boards/1.0"), 2, "boards/1.0/a");
  }

  /** A hostile server cannot send escapes to the terminal. */
  @Test
  void aBadUpdateIsAWarningAndASuccess() throws IOException {
    HttpHandler warning =
        exchange -> {
          exchange
              .getResponseHeaders()
              .set("Artifact-Warnings", "\"It is \\\"plain\\\".\", \"And\u009b31m more.\"");
          server.answerAsAlways(exchange);
        };
    server.replace("POST /api/v1/uploads", 3, warning);
    assertThat(push("--parallel", 3, large(), "boards/b.img").errors())
        .containsOnlyOnce("push: warning: It is \"plain\".");
    server.replace("PATCH", 0, warning);
    Path small = Files.writeString(folder.resolve("small"), "hello");
    Run run = push(small, "boards/a.img");
    assertThat(run.status()).as(run.errors()).isZero();
    assertThat(run.errors())
        .contains("push: warning: It is \"plain\".\n")
        .containsPattern("push: warning: And\\?31m more\\.\\n");
    assertThat(push("--quiet", small, "boards/c.img").errors()).isEmpty();
  }

  @Test
  void aFileThatChangesBehindItsDigestIsNoSuccess() throws IOException {
    Path file = Files.write(folder.resolve("a.img"), new byte[1000]);
    publishAnd(() -> Files.writeString(file, "other bytes"));
    Run run = push("--json", file, "boards/a.img");
    assertThat(run.status()).isEqualTo(5);
    assertThat(run.errors())
        .contains(
            "has changed", "541b3e9daa09b20bf85fa273e5cbd3e80185aa4ec298e765db87742b70138a53");
    assertThat(run.output()).contains("\"status\":\"failed\"", "\"exit\":5").doesNotContain("done");
  }

  @Test
  void aFileThatIsGoneBehindItsDigestIsNoSuccess() throws IOException {
    Path file = Files.write(folder.resolve("a.img"), new byte[1000]);
    publishAnd(() -> Files.delete(file));
    Run run = push(file, "boards/a.img");
    assertThat(run.status()).isEqualTo(5);
    assertThat(run.errors()).contains("has changed");
  }

  @Test
  void aFileThatWasTouchedOnlyIsASuccess() throws IOException {
    Path file = Files.write(folder.resolve("a.img"), new byte[1000]);
    publishAnd(() -> Files.setLastModifiedTime(file, FileTime.from(Instant.EPOCH)));
    assertThat(push(file, "boards/a.img").status()).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {409, 413, 507})
  void aRefusalWhilePartsAreBegunLeavesNone(int status) throws IOException {
    server.replace("POST /api/v1/uploads", 2, FakeServer.problem(status, "no"));
    Run run = push("--parallel", 3, large(), "boards/a.img");
    assertThat(run.status()).isEqualTo(status == 409 ? 5 : 1);
    requireNothingLeft();
  }

  @ParameterizedTest
  @ValueSource(ints = {409, 413})
  void aRefusalOfTheWholeLeavesNoPart(int status) throws IOException {
    server.replace("POST /api/v1/uploads", 3, FakeServer.problem(status, "no"));
    Run run = push("--parallel", 3, large(), "boards/a.img");
    assertThat(run.status()).isEqualTo(status == 409 ? 5 : 1);
    assertThat(run.errors()).contains("no");
    requireNothingLeft();
  }

  @Test
  void aFullDiskLeavesThePartsForTheNextTime() throws IOException {
    server.replace("POST /api/v1/uploads", 3, FakeServer.problem(507, "no room"));
    Run run = push("--parallel", 3, large(), "boards/a.img");
    assertThat(run.status()).isEqualTo(1);
    assertThat(server.uploads).hasSize(3);
    assertThat(states()).isNotEmptyDirectory();
  }

  @Test
  void aPathThatWasTakenMeanwhileEndsWhatIsUnfinished() throws IOException {
    server.replace("PATCH", 0, FakeServer.problem(403, "no"));
    Path file = large();
    assertThat(push("--parallel", 3, file, "boards/a.img").status()).isEqualTo(3);
    assertThat(server.uploads).hasSize(3);
    server.artifacts.put("boards/a.img", "others".getBytes(UTF_8));
    assertThat(push("--parallel", 3, file, "boards/a.img").status()).isEqualTo(5);
    requireNothingLeft();
  }

  @Test
  void partsThatTheServerLostInPartAreEndedBeforeItBeginsAgain() throws IOException {
    Path file = large();
    server.replace(
        "PATCH",
        1,
        exchange -> {
          server.uploads.remove("upload-2");
          FakeServer.answer(exchange, 404, "");
        });
    Run run = push("--parallel", 3, file, "boards/a.img");
    assertThat(run.status()).isEqualTo(1);
    assertThat(server.uploads.size()).isLessThanOrEqualTo(3);
  }

  @Test
  void aRefusedPushLeavesNoFileOfItsOwn() throws IOException {
    server.replace("POST /api/v1/uploads", 0, FakeServer.problem(403, "no"));
    Path file = Files.write(folder.resolve("a.img"), new byte[1000]);
    assertThat(push(file, "boards/a.img").status()).isEqualTo(3);
    requireNothingLeft();
  }

  @Test
  void argumentsThatAreNoGoodAreToldInJsonToo() throws IOException {
    Path file = Files.write(folder.resolve("a.img"), new byte[10]);
    for (Run run :
        List.of(
            push("--json", file),
            push("--json", "--unknown", file, "boards/a.img"),
            push("--parallel", 99, "--json", file, "boards/a.img"),
            push("--json", file, "boards"),
            push("--json", "--server", "host:80", file, "boards/a.img"),
            pull("--json"),
            pull("boards/a.img", "--json", "--parallel", "x"))) {
      assertThat(run.status()).isEqualTo(2);
      assertThat(run.errors()).isNotEmpty();
      JsonNode json = JsonMapper.shared().readTree(run.output());
      assertThat(json.path("status").asString()).isEqualTo("failed");
      assertThat(json.path("exit").asInt()).isEqualTo(2);
      assertThat(json.path("error").asString()).isNotEmpty();
    }
    assertThat(push(file).output()).isEmpty();
  }

  /** As in a pipeline whose state is a cache that two jobs have. */
  @Test
  void anUploadThatAnotherProcessSendsIsLeftToIt() throws IOException {
    server.replace("PATCH", 0, FakeServer.problem(409, "it goes on\", \"title\": \"Newer request"));
    Path file = Files.write(folder.resolve("a.img"), new byte[1000]);
    Run run = push(file, "boards/a.img");
    assertThat(run.status()).isEqualTo(1);
    assertThat(run.errors()).contains("Another process");
    assertThat(server.uploads).hasSize(1);
  }

  @Test
  void anUploadThatAnotherProcessCompletedIsASuccess() throws IOException {
    byte[] content = new byte[1000];
    server.replace(
        "PATCH",
        0,
        exchange -> {
          server.uploads.clear();
          server.artifacts.put("boards/a.img", content);
          FakeServer.problem(
                  409,
                  "done\", \"type\": \"https://iana.org/assignments/http-problem-types#completed-upload")
              .handle(exchange);
        });
    Path file = Files.write(folder.resolve("a.img"), content);
    assertThat(push(file, "boards/a.img").status()).isZero();
  }

  @Test
  void aServerThatCannotBeReachedIsNamed() throws Exception {
    server.close();
    try (Remote remote =
        new Remote(new Settings(server.uri(), Optional.empty(), Optional.empty()))) {
      assertThatIOException()
          .isThrownBy(() -> remote.find(new ArtifactId("boards", "a.img")))
          .withMessageStartingWith(server.uri() + " cannot be reached");
    }
  }

  /** A change of a file between the last byte that is sent and the answer. */
  @FunctionalInterface
  private interface Change {
    void run() throws IOException;
  }

  private void publishAnd(Change change) {
    server.replace(
        "PATCH",
        0,
        exchange -> {
          byte[] sent = exchange.getRequestBody().readAllBytes();
          server.artifacts.put("boards/a.img", sent);
          change.run();
          exchange.getResponseHeaders().set("Upload-Offset", String.valueOf(sent.length));
          FakeServer.answer(exchange, 204, "");
        });
  }

  private Path large() throws IOException {
    byte[] bytes = new byte[PARTS_LENGTH];
    Arrays.fill(bytes, 0, 100, (byte) 1);
    return Files.write(folder.resolve("large.img"), bytes);
  }

  private void requireNothingLeft() {
    assertThat(server.uploads).isEmpty();
    assertThat(states())
        .satisfiesAnyOf(
            states -> assertThat(states).doesNotExist(),
            states -> assertThat(states).isEmptyDirectory());
  }

  private void requireRefused(Run run, int status, String... messages) {
    assertThat(run.status()).as(run.errors()).isEqualTo(status);
    assertThat(run.errors()).contains(messages);
    assertThat(run.output()).isEmpty();
    assertThat(server.artifacts).isEmpty();
    assertThat(server.uploads).isEmpty();
  }
}
