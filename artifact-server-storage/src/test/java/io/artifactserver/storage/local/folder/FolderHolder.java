package io.artifactserver.storage.local.folder;

import io.artifactserver.storage.backend.SetupException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;

/** Another process, which holds a data folder until it is ended. */
final class FolderHolder {
  private FolderHolder() {}

  public static void main(String[] arguments) throws IOException {
    try (DataFolder folder = DataFolder.open(Path.of(arguments[0]))) {
      Objects.requireNonNull(folder);
      System.out.println("held");
      int _ = System.in.read();
    } catch (SetupException e) {
      System.out.println(e.getMessage());
    }
  }
}
