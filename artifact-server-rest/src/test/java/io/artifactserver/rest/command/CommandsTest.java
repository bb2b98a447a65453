package io.artifactserver.rest.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.command.Command;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class CommandsTest {
  private final StringWriter output = new StringWriter();
  private final StringWriter errors = new StringWriter();

  @Test
  void propertiesAloneAskForTheServer() {
    assertThat(Commands.serve(List.of())).isTrue();
    assertThat(Commands.serve(List.of("--server.port=0"))).isTrue();
    assertThat(Commands.serve(List.of("serve", "--server.port=0"))).isTrue();
    assertThat(Commands.serve(List.of("serve", "--help"))).isFalse();
    assertThat(Commands.serve(List.of("--version"))).isFalse();
    assertThat(Commands.serve(List.of("doctor"))).isFalse();
  }

  @Test
  void theHelpListsTheCommandsOfEveryModule() {
    assertThat(run("--help")).isZero();
    assertThat(output.toString())
        .contains(
            "serve",
            "push",
            "pull",
            "keys",
            "migrate",
            "doctor",
            "sign",
            "generate-completion",
            "--server.port");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "serve",
        "keys",
        "keys create",
        "keys remove",
        "migrate",
        "doctor",
        "sign",
        "push",
        "pull"
      })
  void everyCommandHelps(String command) {
    assertThat(run((command + " --help").split(" "))).isZero();
    assertThat(output.toString()).startsWith("Usage: artifact-server");
    assertThat(errors.toString()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"push", "pull"})
  void aCommandOfTheClientIsFoundWithoutTheOthers(String command) {
    assertThat(run(Commands.line(List.of(command), Map.of()), command, "--help")).isZero();
    assertThat(output.toString())
        .startsWith("Usage: artifact-server " + command)
        .contains("Exit status:", "ARTIFACT_SERVER_TOKEN", "--parallel");
    assertThat(run(Commands.line(List.of(command), Map.of()), command)).isEqualTo(2);
    assertThat(errors.toString()).startsWith("artifact-server " + command + ": ");
  }

  @Test
  void anUnknownCommandIsNamedWithItsNeighbours() {
    assertThat(run("docter")).isEqualTo(2);
    assertThat(errors.toString())
        .startsWith("artifact-server: Unmatched argument at index 0: 'docter'")
        .contains("doctor", "\"artifact-server --help\"")
        .doesNotContain("\tat ");
  }

  @Test
  void theShellCompletesTheCommands() {
    assertThat(run("generate-completion")).isZero();
    assertThat(output.toString()).contains("keys", "migrate", "--parallel");
  }

  @Test
  void anErrorIsOneLine() {
    assertThat(run(new Failing(), Map.of())).isEqualTo(1);
    assertThat(errors.toString())
        .isEqualToNormalizingNewlines("fail: java.io.IOException: no ./data\n");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"ARTIFACTSERVER_DATADIR", "ARTIFACTSERVER_DATA_DIR", "ARTIFACT_SERVER_DATA_DIR"})
  void anOptionThatIsAPropertyIsReadFromTheEnvironmentAsSpringBootReadsIt(String variable) {
    run(new Failing(), Map.of(variable, "/srv/data"));
    assertThat(errors.toString()).contains("no /srv/data");
    run(new Failing(), Map.of(variable, "/srv/data"), "--artifact-server.data-dir=/given");
    assertThat(errors.toString()).contains("no /given");
  }

  private int run(String... arguments) {
    return run(Commands.line(Map.of()), arguments);
  }

  private int run(Command command, Map<String, String> environment, String... arguments) {
    return run(Commands.line(command, environment), arguments);
  }

  private int run(CommandLine line, String... arguments) {
    return line.setOut(new PrintWriter(output, true))
        .setErr(new PrintWriter(errors, true))
        .execute(arguments);
  }

  @CommandLine.Command(name = "fail")
  static final class Failing implements Command {
    @CommandLine.Option(names = "--artifact-server.data-dir", defaultValue = "./data")
    private String dataFolder = "";

    @Override
    public Integer call() throws Exception {
      throw new IOException("no " + dataFolder);
    }
  }
}
