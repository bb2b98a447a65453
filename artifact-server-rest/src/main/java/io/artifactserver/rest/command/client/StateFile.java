package io.artifactserver.rest.command.client;

import io.artifactserver.core.file.DurableFiles;
import java.io.IOException;
import java.io.Reader;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;

/**
 * Remembers how far a transfer is, for the next process. It is written whole or not at all, and
 * only its owner may read it; it has no token. A file that cannot be read is none.
 */
final class StateFile {
  private final Path file;

  StateFile(Path file) {
    this.file = file.toAbsolutePath();
  }

  /** Empty if there is none. */
  Properties read() {
    Properties state = new Properties();
    if (Files.exists(file)) {
      try (Reader in = Files.newBufferedReader(file)) {
        state.load(in);
      } catch (IOException | IllegalArgumentException e) {
        state.clear();
      }
    }
    return state;
  }

  void write(Map<String, String> state) throws IOException {
    Properties properties = new Properties();
    properties.putAll(state);
    StringWriter text = new StringWriter();
    properties.store(text, null);
    DurableFiles.createFolder(Objects.requireNonNull(file.getParent()));
    DurableFiles.write(file, ByteBuffer.wrap(text.toString().getBytes(StandardCharsets.UTF_8)));
  }

  void delete() throws IOException {
    Files.deleteIfExists(file);
  }
}
