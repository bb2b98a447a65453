package io.artifactserver.rest.command.doctor;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Whether this user can read hawkBit's artifacts. Immutable, thread-safe. */
record HawkbitFolderCheck(Path folder) {
  private static final String NAME = "hawkBit's artifacts";

  /** A tenant, two folders, a file. */
  private static final int DEPTH = 4;

  /** hawkBit makes all of them alike; the newest say how it does now. */
  private static final int FILES = 100;

  Finding finding() {
    if (!Files.isDirectory(folder)) {
      return Finding.fail(
          NAME,
          folder.toString(),
          "is not there: mount hawkBit's folder of artifacts, read-only",
          "docker run --volume HAWKBIT_VOLUME:%s:ro ...".formatted(folder));
    }
    try {
      List<Path> files = files();
      Optional<Path> unreadable =
          files.stream().filter(file -> !Files.isReadable(file)).findFirst();
      if (unreadable.isPresent()) {
        return unreadable(unreadable.get());
      }
      String value = "%s, %d files looked at".formatted(folder, files.size());
      return files.isEmpty()
          ? Finding.warn(
              NAME,
              value,
              "has no artifact yet, or is not hawkBit's folder",
              "ls %s    # a folder for each tenant, in upper case".formatted(folder))
          : Finding.ok(NAME, value, "readable for this user");
    } catch (IOException e) {
      return unreadable(folder);
    }
  }

  private List<Path> files() throws IOException {
    List<Path> files;
    try (Stream<Path> found =
        Files.find(folder, DEPTH, (_, attributes) -> attributes.isRegularFile())) {
      files = found.toList();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    return files.stream()
        .sorted(Comparator.comparingLong((Path file) -> file.toFile().lastModified()).reversed())
        .limit(FILES)
        .toList();
  }

  private static Finding unreadable(Path path) {
    String owner = owner(path);
    return Finding.fail(
        NAME,
        path.toString(),
        "is not readable for %s; hawkBit writes its files for its own user only, with uid %s"
            .formatted(System.getProperty("user.name"), owner),
        "docker run --user %s ...    # or user: \"%1$s\" in compose, User= in systemd; the data folder belongs to the same user"
            .formatted(owner));
  }

  private static String owner(Path path) {
    try {
      return String.valueOf(Files.getAttribute(path, "unix:uid"));
    } catch (IOException | UnsupportedOperationException e) {
      return "unknown";
    }
  }
}
