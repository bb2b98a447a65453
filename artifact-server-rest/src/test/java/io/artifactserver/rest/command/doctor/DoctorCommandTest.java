package io.artifactserver.rest.command.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.artifactserver.core.command.Command;
import io.artifactserver.rest.command.Commands;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class DoctorCommandTest {
  @TempDir private Path root;
  @TempDir private Path folder;

  private final ByteArrayOutputStream output = new ByteArrayOutputStream();
  private final ByteArrayOutputStream errors = new ByteArrayOutputStream();

  @Test
  void isFoundByItsName() {
    assertThat(ServiceLoader.load(Command.class)).anyMatch(DoctorCommand.class::isInstance);
  }

  @Test
  void printsEveryCheckWithItsFix() throws IOException {
    new Machine(root);
    int status = run(Map.of(), "--artifact-server.data-dir=" + folder);
    assertThat(output.toString(StandardCharsets.UTF_8))
        .contains("warn  net.ipv4.tcp_wmem = 4096 16384 4194304")
        .contains("      $ sysctl -w net.ipv4.tcp_wmem='4096 16384 67108864'")
        .contains("ok    net.core.somaxconn = 4096")
        .contains("open files = soft 1048576, hard 1048576")
        .contains(
            "memory = ",
            "java = ",
            "disk room = ",
            "disk speed = ",
            "temporary folder = ",
            "clock = ");
    assertThat(status)
        .isEqualTo(output.toString(StandardCharsets.UTF_8).contains("\nfail") ? 1 : 0);
    assertThat(errors.size()).isZero();
  }

  @Test
  void aFailureIsTheExitStatusAndTheVerdict() throws IOException {
    new Machine(root).limits("100", "100");
    assertThat(run(Map.of("ARTIFACTSERVER_DATADIR", folder.toString()), "--json")).isEqualTo(1);
    JsonNode report = JsonMapper.shared().readTree(output.toByteArray());
    assertThat(report.get("verdict").asString()).isEqualTo("fail");
    assertThat(report.get("single_stream").get(1).get("round_trip_ms").asInt()).isEqualTo(200);
    assertThat(report.get("single_stream").get(1).get("bytes_per_second").asLong())
        .isEqualTo(15_728_640);
    assertThat(report.get("checks").valueStream())
        .anySatisfy(check -> {
          assertThat(check.get("name").asString()).isEqualTo("open files");
          assertThat(check.get("verdict").asString()).isEqualTo("fail");
          assertThat(check.get("fix").asString()).contains("ulimit");
        })
        .allSatisfy(check -> assertThat(check.get("meaning").asString()).isNotBlank());
  }

  @Test
  void connectionsDecideOnDescriptors() throws IOException {
    new Machine(root).limits("5000", "5000");
    run(Map.of(), "--artifact-server.data-dir=" + folder, "--connections=2000");
    assertThat(output.toString(StandardCharsets.UTF_8)).contains("ok    open files");
    run(Map.of(), "--artifact-server.data-dir=" + folder, "--connections=4000");
    assertThat(output.toString(StandardCharsets.UTF_8)).contains("warn  open files");
  }

  @Test
  void saysWhoCanReadHawkbitsArtifacts() throws IOException {
    new Machine(root);
    Path artifacts = folder.resolve("artifactrepo");
    String[] arguments = {
      "--artifact-server.data-dir=" + folder, "--artifact-server.hawkbit.artifacts=" + artifacts
    };
    run(Map.of(), arguments);
    assertThat(printed()).contains("fail  hawkBit's artifacts", "is not there: mount");
    Path file = Files.createDirectories(artifacts.resolve("DEFAULT/01/23")).resolve("0123");
    run(Map.of(), arguments);
    assertThat(printed()).contains("warn  hawkBit's artifacts", "has no artifact yet");
    Files.writeString(file, "bytes");
    run(Map.of(), arguments);
    assertThat(printed()).contains("ok    hawkBit's artifacts", "1 files looked at");
    assumeThat(System.getProperty("user.name"))
        .withFailMessage("SKIPPED: a file that cannot be read, because root can read every file")
        .isNotEqualTo("root");
    Files.setPosixFilePermissions(file, Set.of());
    assertThat(run(Map.of(), arguments)).isEqualTo(1);
    assertThat(printed())
        .contains(
            "fail  hawkBit's artifacts = " + file,
            "--user " + Files.getAttribute(file, "unix:uid"));
  }

  @Test
  void anUnknownOptionIsRefusedBeforeAnythingIsMeasured() throws IOException {
    assertThat(run(Map.of(), "--artifact-server.data-dir=" + folder, "--jsn")).isEqualTo(2);
    assertThat(run(Map.of(), "--connections=many")).isEqualTo(2);
    assertThat(errors.toString(StandardCharsets.UTF_8))
        .contains("Unknown option: '--jsn'", "--json", "'many' is not an int", "doctor --help");
    assertThat(output.size()).isZero();
    try (var files = Files.list(folder)) {
      assertThat(files).isEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "--artifact=a/b, --public-url, which is missing",
    "--public-url=ftp://host, is https://HOST",
    "--public-url=https://user@host, is https://HOST",
    "--public-url=http://host --artifact=a, is REPOSITORY/PATH",
    "--public-url=http://host --timeout=0, 1 to 600 seconds",
    "--public-url=http://host --token-file=/nowhere, cannot read the token file",
    "--public-url=http://host --ca=/nowhere, cannot read the authorities"
  })
  void anAddressThatIsNoneIsRefusedBeforeItIsAsked(String arguments, String message) {
    assertThat(run(Map.of(), arguments.split(" "))).isEqualTo(2);
    assertThat(errors.toString(StandardCharsets.UTF_8)).contains(message);
    assertThat(output.size()).isZero();
  }

  /** Nothing listens there. */
  @Test
  void aServerThatDoesNotAnswerIsTheOnlyFinding() throws IOException {
    assertThat(run(Map.of(), "--public-url=http://127.0.0.1:1", "--json")).isEqualTo(1);
    JsonNode report = JsonMapper.shared().readTree(output.toByteArray());
    assertThat(report.get("checks")).hasSize(1);
    assertThat(report.get("checks").get(0).get("name").asString()).isEqualTo("public URL");
    assertThat(report.get("verdict").asString()).isEqualTo("fail");
  }

  @Test
  void helps() {
    assertThat(run(Map.of(), "--help")).isZero();
    assertThat(output.toString(StandardCharsets.UTF_8)).contains("--connections=N", "10000");
  }

  private String printed() {
    return output.toString(StandardCharsets.UTF_8);
  }

  private int run(Map<String, String> environment, String... arguments) {
    return Commands.line(new DoctorCommand(new Host(root)), environment)
        .setOut(new PrintWriter(output, true, StandardCharsets.UTF_8))
        .setErr(new PrintWriter(errors, true, StandardCharsets.UTF_8))
        .execute(arguments);
  }
}
