package io.artifactserver.rest.command.client;

import io.artifactserver.rest.command.client.ClientException.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * Checks of the files that a person names, before any of them is opened: a pipe would block, a
 * device never ends or is lost when a file takes its name. I/O; nothing is changed.
 */
final class RegularFile {
  /** Standard input or output, for other programs. */
  private static final String STANDARD = "-";

  private RegularFile() {}

  /** Checks that a file can be read from its begin to its end, and read again. */
  static void requireSource(Path file) throws ClientException {
    BasicFileAttributes attributes;
    try {
      attributes = Files.readAttributes(file, BasicFileAttributes.class);
    } catch (IOException e) {
      throw new ClientException(
          Files.exists(file) ? Reason.FAILED : Reason.ABSENT,
          "cannot read %s: %s%s"
              .formatted(
                  file,
                  Remote.reason(e),
                  file.toString().equals(STANDARD)
                      ? ". Standard input is not read: save its bytes in a file first"
                      : ""));
    }
    if (attributes.isDirectory()) {
      throw new ClientException(
          Reason.MISUSED, "%s is a folder: name the files in it".formatted(name(file)));
    }
    if (!attributes.isRegularFile()) {
      throw new ClientException(
          Reason.MISUSED,
          file
              + " is no regular file but a pipe or a device, and the bytes are read more than once:"
              + " save them in a file first, and name that");
    }
  }

  /** Checks that a file can be made in this place, or can replace what is there. */
  static void requireTarget(Path file) throws ClientException {
    if (file.toString().equals(STANDARD)) {
      throw misused(
          "the bytes are verified in a file before anybody gets them, so they do not go to standard"
              + " output: name a file with -o FILE, then read it (-o ./- is a file of this name)");
    }
    if (Files.isDirectory(file)) {
      throw misused(file + " is a folder: name a file with -o FILE");
    }
    if (Files.exists(file) && !Files.isRegularFile(file)) {
      throw misused(
          file
              + " is no regular file but a pipe or a device, and the bytes are verified in a file"
              + " before anybody gets them: name a file with -o FILE, then read or delete it");
    }
    if (Files.isSymbolicLink(file)) {
      throw misused(
          "%s is a symbolic link, which would become a file: name what it leads to with -o %s, or"
                  .formatted(file, linked(file))
              + " remove the link");
    }
    Path parent = file.toAbsolutePath().getParent();
    if (parent != null && !Files.isDirectory(parent)) {
      throw misused("there is no folder " + parent);
    }
  }

  /** The end of a chain of links; of one that leads nowhere, the place where it leads. */
  private static Path linked(Path link) {
    try {
      return Files.exists(link)
          ? link.toRealPath()
          : link.resolveSibling(Files.readSymbolicLink(link)).normalize();
    } catch (IOException e) {
      return Path.of("FILE");
    }
  }

  private static String name(Path file) {
    return file.toString().isEmpty() ? "\"\"" : file.toString();
  }

  private static ClientException misused(String message) {
    return new ClientException(Reason.MISUSED, message);
  }
}
