package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.nightly.Nightly;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that is killed again and again does not fill the temporary folder. */
@Nightly("It starts a server three times to look into a folder.")
class JettyFoldersIT {
  @TempDir private Path folder;

  @Test
  void aKilledServerLeavesNoMoreThanTheOneBefore() throws Exception {
    Path temporary = Files.createDirectory(folder.resolve("temporary"));
    try (PackagedServer server =
        PackagedServer.start(folder.resolve("data"), "-Djava.io.tmpdir=" + temporary)) {
      assertThat(entries(temporary)).isEmpty();
      for (int i = 0; i < 2; i++) {
        server.kill();
        server.restart();
      }
      assertThat(entries(temporary)).isEmpty();
      assertThat(entries(server.dataFolder().resolve("jetty")))
          .containsExactlyInAnyOrder("documents", "temporary");
    }
  }

  private static List<String> entries(Path folder) throws IOException {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.map(entry -> entry.getFileName().toString()).toList();
    }
  }
}
