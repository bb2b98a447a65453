package io.artifactserver.planted.r15;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Has the new name after a power cut, or the old one. */
final class MovesAFile {
  private MovesAFile() {}

  static void replace(Path source, Path target) throws IOException {
    Files.move(source, target);
  }
}
