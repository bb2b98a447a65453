package io.artifactserver.rest.command.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.function.Predicate;

/**
 * Whether code may run from Java's temporary folder, where libraries unpack their native parts.
 *
 * @param isExecutable tells it of a file in the folder that has the permission; false where the
 *     file system is mounted with {@code noexec}
 */
record TemporaryFolderCheck(Path folder, Predicate<Path> isExecutable) {
  private static final String NAME = "temporary folder";
  private static final String FIX =
      "JAVA_OPTS=-Djava.io.tmpdir=/folder/of/its/own ./artifact-server";

  /** This process's folder, which is the server's. */
  static TemporaryFolderCheck current() {
    return new TemporaryFolderCheck(
        Path.of(System.getProperty("java.io.tmpdir")), Files::isExecutable);
  }

  /** Makes a file, and removes it. */
  Finding finding() {
    try {
      Path file =
          Files.createTempFile(
              folder,
              "doctor-",
              ".tmp",
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      try {
        return isExecutable.test(file)
            ? Finding.ok(NAME, folder.toString(), "native code may run from it")
            : Finding.fail(
                NAME,
                folder + ", noexec",
                "no update forms are made: Zstandard's native code runs from it",
                "mount -o remount,exec %s    # or %s; in compose, tmpfs: [\"%1$s:exec\"]"
                    .formatted(folder, FIX));
      } finally {
        Files.delete(file);
      }
    } catch (IOException e) {
      return Finding.fail(NAME, folder.toString(), "cannot be written to by this user: " + e, FIX);
    }
  }
}
