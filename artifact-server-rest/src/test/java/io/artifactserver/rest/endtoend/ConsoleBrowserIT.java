package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.artifactserver.core.program.Programs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The console in a headless Chromium, which .ci/run installs: the scenarios of {@code
 * console-browser/scenarios.cjs}. An error that a page logs fails its scenario. Pictures of the
 * pages are in {@code target/console-pages} afterwards.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ConsoleBrowserIT {
  private static final Path MODULES =
      Path.of("..", "target", "console-browser", "node_modules").toAbsolutePath().normalize();
  private static final Path SCRIPT =
      Path.of("src", "test", "resources", "console-browser", "scenarios.cjs").toAbsolutePath();
  private static final Path PAGES = Path.of("target", "console-pages").toAbsolutePath();
  private static final long MINUTES = 8;

  private PackagedServer server;

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
  }

  @AfterAll
  void stop() {
    if (server != null) {
      server.close();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "upload",
        "reload",
        "rollout",
        "revoke",
        "channel",
        "keep",
        "hostile",
        "everyPage"
      })
  void peopleDo(String scenario, @TempDir Path folder) throws Exception {
    Path log = folder.resolve("log");
    ProcessBuilder builder =
        new ProcessBuilder("node", SCRIPT.toString(), scenario)
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder.environment().put("MODULES", MODULES.toString());
    builder.environment().put("CHROMIUM", "/usr/bin/chromium");
    builder.environment().put("SERVER", "http://127.0.0.1:" + server.port());
    builder.environment().put("TOKEN", server.operatorToken());
    builder
        .environment()
        .put(
            "FOLDER",
            (scenario.equals("everyPage") ? Files.createDirectories(PAGES) : folder).toString());
    Process process = builder.start();
    try {
      assertThat(process.waitFor(MINUTES, TimeUnit.MINUTES)).as("%s ends", scenario).isTrue();
    } finally {
      process.destroyForcibly();
    }
    assertThat(process.exitValue()).as(Files.readString(log)).isZero();
  }
}
