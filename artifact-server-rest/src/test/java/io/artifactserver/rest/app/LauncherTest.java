package io.artifactserver.rest.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.testserver.Ports;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The launcher with another program in the place of Java, which says whether it got a socket. */
class LauncherTest {
  private static final Path LAUNCHER = Path.of("src", "main", "launcher");

  @TempDir private Path home;

  private final String port = Integer.toString(Ports.reserve());

  @BeforeEach
  void copy() throws IOException {
    for (String file : List.of("artifact-server", "open-port", "jvm-options")) {
      Files.copy(LAUNCHER.resolve(file), home.resolve(file), StandardCopyOption.COPY_ATTRIBUTES);
    }
    script(home.resolve("java-home"), "echo '" + home + "'");
    Files.createDirectory(home.resolve("bin"));
    script(
        home.resolve("bin").resolve("java"),
        "if [ -S /dev/stdin ]; then echo socket; else echo none; fi; echo \"${@: -1}\"");
    Files.createDirectory(home.resolve("work"));
  }

  @Test
  void portIsOpenedWhereItIsCertain() throws Exception {
    String argument = "--server.port=" + port;
    assertThat(run(Map.of(), argument)).isEqualTo("socket\n" + argument + "\n");
    assertThat(run(Map.of(), "serve", argument)).startsWith("socket");
    assertThat(run(Map.of("SERVER_PORT", port), "serve")).startsWith("socket");
    // It is certain where somebody says so.
    assertThat(run(Map.of("OPEN_PORT", port, "SPRING_CONFIG_IMPORT", "configtree:/run"), "serve"))
        .startsWith("socket");
  }

  @Test
  void portIsLeftToTheServerWhereItIsNotCertain() throws Exception {
    String argument = "--server.port=" + port;
    assertThat(run(Map.of("OPEN_PORT", "none"), argument)).startsWith("none");
    assertThat(run(Map.of("SPRING_CONFIG_IMPORT", "configtree:/run"), argument)).startsWith("none");
    assertThat(run(Map.of("SPRING_APPLICATION_JSON", "{}"), argument)).startsWith("none");
    assertThat(run(Map.of("SERVER_ADDRESS", "127.0.0.1"), argument)).startsWith("none");
    assertThat(run(Map.of("server_address", "127.0.0.1"), argument)).startsWith("none");
    assertThat(run(Map.of("server_port", port), "serve")).startsWith("none");
    assertThat(run(Map.of(), "--server.port=99999")).startsWith("none");
    assertThat(run(Map.of("JAVA_OPTS", "-Dserver.port=1"), argument)).startsWith("none");
    assertThat(run(Map.of(), argument, "--server.address=127.0.0.1")).startsWith("none");
    assertThat(run(Map.of(), "--server.port=0")).startsWith("none");
    Files.createFile(home.resolve("work").resolve("application.yaml"));
    assertThat(run(Map.of(), argument)).startsWith("none");
  }

  @Test
  void commandsHaveNoPort() throws Exception {
    assertThat(run(Map.of("SERVER_PORT", port), "doctor")).isEqualTo("none\ndoctor\n");
    assertThat(run(Map.of("SERVER_PORT", port), "help")).startsWith("none");
  }

  /** Java says so, in its own words. */
  @Test
  void portThatIsTakenIsLeftToTheServer() throws Exception {
    try (var _ = new ServerSocket(Integer.parseInt(port))) {
      assertThat(run(Map.of(), "--server.port=" + port)).startsWith("none");
    }
  }

  private String run(Map<String, String> environment, String... arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(home.resolve("artifact-server").toString());
    Stream.of(arguments).forEach(command::add);
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(home.resolve("work").toFile())
            .redirectErrorStream(true);
    builder.environment().keySet().removeIf(name -> name.startsWith("SPRING_"));
    builder.environment().putAll(environment);
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    return output;
  }

  private static void script(Path file, String line) throws IOException {
    Files.writeString(file, "#!/usr/bin/env bash\n" + line + "\n");
    assertThat(file.toFile().setExecutable(true)).isTrue();
  }
}
