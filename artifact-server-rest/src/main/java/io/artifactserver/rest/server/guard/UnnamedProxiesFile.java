package io.artifactserver.rest.server.guard;

import io.artifactserver.core.file.DurableFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file in the data folder that tells {@code doctor} which proxies a running server has noticed:
 * an address a line. Immutable, thread-safe.
 */
public final class UnnamedProxiesFile {
  private static final Logger LOG = LoggerFactory.getLogger(UnnamedProxiesFile.class);

  private final Path path;

  public UnnamedProxiesFile(Path dataFolder) {
    this.path = dataFolder.toAbsolutePath().normalize().resolve("unnamed-proxies");
  }

  /** Returns the addresses; empty if there is no file. */
  public List<String> read() throws IOException {
    return Files.exists(path) ? Files.readAllLines(path) : List.of();
  }

  /** Replaces the addresses, if the disk allows it. */
  void write(List<String> addresses) {
    try {
      if (addresses.isEmpty()) {
        Files.deleteIfExists(path);
      } else {
        DurableFiles.write(path, StandardCharsets.US_ASCII.encode(String.join("\n", addresses)));
      }
    } catch (IOException e) {
      LOG.debug("Cannot write down the proxies for doctor", e);
    }
  }
}
