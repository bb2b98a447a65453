package io.artifactserver.rest.command.client;

import io.artifactserver.core.file.DurableFiles;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;

/**
 * Remembers how far a transfer is, for the next process. It is written whole or not at all, and
 * only its owner may read it; it has no token. A file that cannot be read is none, and no link is
 * followed.
 */
final class StateFile {
  /** That of a file with holes in every megabyte of 100 GB. */
  private static final long MAX_LENGTH = 4L << 20;

  private final Path file;

  StateFile(Path file) {
    this.file = file.toAbsolutePath();
  }

  /** Empty if there is none. */
  Properties read() {
    Properties state = new Properties();
    if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      try (Reader in =
          new InputStreamReader(
              Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS), StandardCharsets.UTF_8)) {
        if (Files.size(file) <= MAX_LENGTH) {
          state.load(in);
        }
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
    try {
      DurableFiles.write(file, ByteBuffer.wrap(text.toString().getBytes(StandardCharsets.UTF_8)));
    } catch (IOException e) {
      // The disk is full, or the thread was interrupted.
      Files.deleteIfExists(file.resolveSibling(file.getFileName() + ".part"));
      throw e;
    }
  }

  void delete() throws IOException {
    Files.deleteIfExists(file);
  }
}
