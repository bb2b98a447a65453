package io.artifactserver.rest.command.client;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;

/** Which bytes of an artifact {@code FILE.part} has, for the next process. Thread-safe. */
final class PullState {
  private final StateFile file;
  private final Remote.Found found;
  private final FetchedBytes fetched;

  private PullState(StateFile file, Remote.Found found, FetchedBytes fetched) {
    this.file = file;
    this.found = found;
    this.fetched = fetched;
  }

  /**
   * Reads the state of a part; nothing is there if it is of another artifact, and no more than the
   * part has: it may have been cut meanwhile.
   */
  static PullState open(Path part, Remote.Found found) throws IOException {
    StateFile file = new StateFile(part.resolveSibling(part.getFileName() + ".state"));
    Properties state = file.read();
    FetchedBytes fetched = new FetchedBytes();
    if (Files.exists(part)
        && state.getProperty("tag", "").equals(found.entityTag())
        && state.getProperty("length", "").equals(String.valueOf(found.length()))) {
      try {
        fetched =
            FetchedBytes.decode(state.getProperty("bytes", ""))
                .upTo(Math.min(Files.size(part), found.length()));
      } catch (IllegalArgumentException e) {
        // Somebody else's file: all bytes are fetched.
      }
    }
    return new PullState(file, found, fetched);
  }

  FetchedBytes fetched() {
    return fetched;
  }

  synchronized void save() throws IOException {
    if (fetched.count() == 0) {
      file.delete();
      return;
    }
    file.write(
        Map.of(
            "tag", found.entityTag(),
            "length", String.valueOf(found.length()),
            "bytes", fetched.encoded()));
  }

  synchronized void delete() throws IOException {
    file.delete();
  }
}
