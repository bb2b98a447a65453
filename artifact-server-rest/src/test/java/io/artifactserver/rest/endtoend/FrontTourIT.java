package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.nightly.Nightly;
import io.artifactserver.core.program.Programs;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The files of deploy/front, by the real programs in front of a server. */
@Nightly("minutes; what passes a proxy is what the server sends, and that has its own tests")
class FrontTourIT {
  private static final Path TOUR =
      Path.of("..", "deploy", "test", "front-tour").toAbsolutePath().normalize();

  @TempDir private Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"nginx", "nginx-32m", "caddy", "haproxy"})
  void passesEverythingOn(String front) throws Exception {
    Programs.assumeInstalled(front.replace("-32m", ""), "curl", "openssl", "perl");
    try (PackagedServer server =
        PackagedServer.start(
            folder.resolve("data"), "--artifact-server.connections.trusted-proxies=127.0.0.1")) {
      ProcessBuilder tour =
          new ProcessBuilder(
                  TOUR.toString(),
                  server.uri("").toString().replaceAll("/$", ""),
                  server.operatorToken(),
                  front)
              .redirectErrorStream(true);
      tour.environment().put("CLIENT", client().toString());
      Process process = tour.start();
      process.getOutputStream().close();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor()).as(output).isZero();
      assertThat(output).contains("all as promised").doesNotContain("SKIPPED");
    }
  }

  /** The program as one file. */
  private Path client() throws Exception {
    String command =
        PackagedServer.program(List.of()).command().stream()
            .map(word -> "'" + word + "'")
            .collect(Collectors.joining(" "));
    Path client =
        Files.writeString(
            folder.resolve("artifact-server"), "#!/bin/sh\nexec " + command + " \"$@\"\n");
    return Files.setPosixFilePermissions(client, PosixFilePermissions.fromString("rwx------"));
  }
}
