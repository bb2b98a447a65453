package io.artifactserver.rest.endtoend;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The steps that docs/operations.md tells an operator of hawkBit to take. */
final class HawkbitPage {
  private HawkbitPage() {}

  /** The line of hawkBit's configuration, with our address in it. */
  static String line(PackagedServer server) throws IOException {
    return Files.readAllLines(Path.of("..", "docs", "operations.md")).stream()
        .map(String::strip)
        .filter(line -> line.startsWith("hawkbit.artifact.url.protocols.download-http.ref="))
        .findFirst()
        .orElseThrow()
        .replace("https://FW", server.uri("").toString());
  }
}
