package io.artifactserver.planted.r7;

import java.io.File;

/** Leaks a string a file until the process ends. */
final class DeleteOnExit {
  private DeleteOnExit() {}

  static void mark(File file) {
    file.deleteOnExit();
  }
}
