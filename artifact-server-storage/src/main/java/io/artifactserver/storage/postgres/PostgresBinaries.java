package io.artifactserver.storage.postgres;

import io.artifactserver.core.file.DurableFiles;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;
import java.util.LongSummaryStatistics;
import java.util.Optional;
import java.util.jar.JarEntry;
import java.util.stream.Stream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.springframework.util.FileSystemUtils;
import org.tukaani.xz.XZInputStream;

/**
 * PostgreSQL's programs, unpacked from the class path into a folder of their own. Immutable.
 *
 * @param folder that has {@code bin}, {@code lib} and {@code share}
 */
record PostgresBinaries(Path folder) {
  private static final String MARKER = "unpacked";

  /**
   * Unpacks the programs for this platform unless {@code parent} has them already. One process at a
   * time may do this in a folder.
   *
   * @throws DatabaseStartException if there are none for this platform
   */
  static PostgresBinaries unpack(Path parent) throws IOException {
    URL resource = resource();
    Path folder = parent.resolve(checksum(resource));
    if (!isComplete(folder)) {
      DurableFiles.createFolder(parent);
      FileSystemUtils.deleteRecursively(folder);
      Path unfinished = parent.resolve("unfinished");
      FileSystemUtils.deleteRecursively(unfinished);
      unpack(resource, unfinished);
      Files.writeString(unfinished.resolve(MARKER), measure(unfinished));
      DurableFiles.move(unfinished, folder);
    }
    return new PostgresBinaries(folder);
  }

  /** Removes the programs of other releases. None of them may be running. */
  void removeOthers() throws IOException {
    try (Stream<Path> siblings = Files.list(parent())) {
      for (Path sibling : siblings.filter(sibling -> !sibling.equals(folder)).toList()) {
        FileSystemUtils.deleteRecursively(sibling);
      }
    }
  }

  private Path parent() {
    return folder.resolve("..").normalize();
  }

  /** The path of a program. */
  String program(String name) {
    return folder.resolve("bin").resolve(name).toString();
  }

  private static URL resource() {
    String system = System.getProperty("os.name", "");
    String machine = System.getProperty("os.arch", "");
    Optional<String> architecture =
        switch (machine.toLowerCase(Locale.ROOT)) {
          case "amd64", "x86_64" -> Optional.of("x86_64");
          case "aarch64", "arm64" -> Optional.of("arm_64");
          default -> Optional.empty();
        };
    return architecture
        .filter(_ -> system.equals("Linux"))
        .map("/postgres-linux-%s.txz"::formatted)
        .map(PostgresBinaries.class::getResource)
        .orElseThrow(() ->
            new DatabaseStartException(
                "The embedded PostgreSQL has no programs for %s on %s, only for Linux on amd64"
                        .formatted(system, machine)
                    + " and aarch64: set artifact-server.database.url"));
  }

  /** The one that the jar has of it: reading the archive would take a start a fifth of a second. */
  private static String checksum(URL resource) throws IOException {
    if (!(resource.openConnection() instanceof JarURLConnection connection)) {
      throw new IOException(resource + " is not in a jar");
    }
    JarEntry entry = connection.getJarEntry();
    return "%08x-%d".formatted(entry.getCrc(), entry.getSize());
  }

  private static void unpack(URL resource, Path target) throws IOException {
    try (InputStream packed = new BufferedInputStream(resource.openStream());
        TarArchiveInputStream archive =
            new TarArchiveInputStream(new XZInputStream(packed), StandardCharsets.UTF_8.name())) {
      for (TarArchiveEntry entry = archive.getNextEntry();
          entry != null;
          entry = archive.getNextEntry()) {
        Path path = target.resolve(entry.getName()).normalize();
        if (!path.startsWith(target)) {
          throw new IOException(resource + " has an entry outside: " + entry.getName());
        }
        // Static libraries serve compilers only: 2 MB less.
        if (entry.isDirectory() || path.toString().endsWith(".a")) {
          continue;
        }
        Files.createDirectories(path.resolve("..").normalize());
        if (entry.isSymbolicLink()) {
          Files.createSymbolicLink(path, Path.of(entry.getLinkName()));
        } else {
          Files.copy(archive, path);
          boolean executable = (entry.getMode() & 0100) != 0;
          Files.setPosixFilePermissions(
              path, PosixFilePermissions.fromString(executable ? "rwxr-xr-x" : "rw-r--r--"));
        }
      }
    }
  }

  /**
   * Whether the folder has what was unpacked into it. The lengths are compared because a power cut
   * may leave files that have a name and no bytes, and syncing a thousand of them is slow.
   */
  private static boolean isComplete(Path folder) throws IOException {
    Path marker = folder.resolve(MARKER);
    return Files.exists(marker) && Files.readString(marker).equals(measure(folder));
  }

  private static String measure(Path folder) throws IOException {
    try (Stream<Path> paths = Files.walk(folder)) {
      LongSummaryStatistics lengths =
          paths
              .filter(path -> Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS))
              .filter(path -> !path.equals(folder.resolve(MARKER)))
              .mapToLong(path -> path.toFile().length())
              .summaryStatistics();
      return "%d files, %d bytes".formatted(lengths.getCount(), lengths.getSum());
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }
}
