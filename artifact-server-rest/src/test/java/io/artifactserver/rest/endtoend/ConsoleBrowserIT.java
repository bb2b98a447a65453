package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.artifactserver.core.program.Programs;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The console in a headless Chromium, which .ci/run installs: the scenarios of {@code
 * console-browser/scenarios.cjs}, in one browser and two at a time. An error that a page logs fails
 * its scenario. Pictures of the pages are in {@code target/console-pages} afterwards.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ConsoleBrowserIT {
  private static final Path MODULES =
      Path.of("..", "target", "console-browser", "node_modules").toAbsolutePath().normalize();
  private static final Path SCRIPT =
      Path.of("src", "test", "resources", "console-browser", "scenarios.cjs").toAbsolutePath();
  private static final Path PAGES = Path.of("target", "console-pages").toAbsolutePath();
  private static final long MINUTES = 8;

  private final Map<String, String> failures = new HashMap<>();
  private PackagedServer server;
  private Process process;
  private BufferedReader outcomes;
  private Path log;

  /** The longest first. */
  static List<String> scenarios() {
    return List.of(
        "everyPage",
        "upload",
        "rollout",
        "reload",
        "hostile",
        "channel",
        "keep",
        "several",
        "revoke");
  }

  @BeforeAll
  void start(@TempDir Path folder) throws Exception {
    Programs.assumeInstalled("node", "chromium");
    boolean isThere = Files.exists(MODULES.resolve("playwright-core"));
    String message =
        "%s is missing, which .ci/run makes: the console is not tested".formatted(MODULES);
    if (!isThere) {
      System.err.println(message);
    }
    assumeTrue(isThere, message);
    server = PackagedServer.start(folder.resolve("data"));
    log = folder.resolve("log");
    List<String> command = new ArrayList<>(List.of("node", SCRIPT.toString()));
    command.addAll(scenarios());
    ProcessBuilder builder = new ProcessBuilder(command).redirectError(log.toFile());
    builder
        .environment()
        .putAll(
            Map.of(
                "MODULES",
                MODULES.toString(),
                "CHROMIUM",
                "/usr/bin/chromium",
                "SERVER",
                "http://127.0.0.1:" + server.port(),
                "TOKEN",
                server.operatorToken(),
                "FOLDER",
                folder.toString(),
                "PICTURES",
                Files.createDirectories(PAGES).toString()));
    process = builder.start();
    outcomes = process.inputReader();
  }

  @AfterAll
  void stop() {
    if (process != null) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
    if (server != null) {
      server.close();
    }
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  @Timeout(
      value = MINUTES,
      unit = TimeUnit.MINUTES,
      threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void peopleDo(String scenario) throws IOException {
    while (!failures.containsKey(scenario)) {
      String line = outcomes.readLine();
      assertThat(line).as(() -> "The browser has ended: " + errors()).isNotNull();
      JsonNode outcome = JsonMapper.shared().readTree(line);
      failures.put(outcome.get("name").asString(), outcome.get("failure").asString());
    }
    assertThat(failures.get(scenario)).as(scenario).isEmpty();
  }

  private String errors() {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      return String.valueOf(e.getMessage());
    }
  }
}
