package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.nightly.Nightly;
import io.artifactserver.core.program.Programs;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files of deploy/observability, by a real Prometheus that scrapes a server. */
@Nightly("half a minute for a Prometheus that gathers samples")
class ObservabilityCheckIT {
  private static final Path CHECK =
      Path.of("..", "deploy", "test", "observability-check").toAbsolutePath().normalize();

  @TempDir private Path folder;

  @Test
  void everyAlertAndEveryQueryOfTheDashboardHasAnAnswer() throws Exception {
    Programs.assumeInstalled("prometheus", "promtool", "python3");
    try (PackagedServer server = PackagedServer.start(folder.resolve("data"))) {
      Process check =
          new ProcessBuilder(
                  CHECK.toString(),
                  server.uri("").toString().replaceAll("/$", ""),
                  server.operatorToken())
              .redirectErrorStream(true)
              .start();
      check.getOutputStream().close();
      String output = new String(check.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(check.waitFor()).as(output).isZero();
      assertThat(output).contains("every query of the dashboard has an answer");
    }
  }
}
