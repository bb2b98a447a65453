package io.artifactserver.benchmarks.load;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Optional;
import org.apache.commons.io.FileUtils;

/**
 * The artifacts of the servers.
 *
 * @param folder for configurations and logs
 * @param www the folder that peers serve; the file is in it
 * @param file what is served
 * @param certificate present if everything goes through TLS
 * @param chunks present if servers are asked for them
 * @param paced whether our server is to have a repository with a limit
 * @param cores of this machine
 */
record Site(
    Path folder,
    Path www,
    Path file,
    Optional<SelfSignedCertificate> certificate,
    Optional<ChunkStore> chunks,
    boolean paced,
    int cores) {

  boolean tls() {
    return certificate.isPresent();
  }

  String scheme() {
    return tls() ? "https" : "http";
  }

  /** Deletes a folder and all in it, if it is there. */
  static void delete(Path folder) {
    try {
      FileUtils.deleteDirectory(folder.toFile());
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot delete " + folder, e);
    }
  }

  /** Whether servers that were started by root go on as somebody else. */
  static boolean isRoot() {
    return "root".equals(System.getProperty("user.name"));
  }

  /**
   * Makes sure that servers which give up root's rights can read the file.
   *
   * @throws UsageException if they cannot
   */
  void checkReadable() {
    if (!isRoot()) {
      return;
    }
    try {
      for (Path at = www.toAbsolutePath(); at != null; at = at.getParent()) {
        if (!Files.getPosixFilePermissions(at).contains(PosixFilePermission.OTHERS_EXECUTE)) {
          throw new UsageException(
              "The peers run as another user, who may not enter %s: choose another --folder"
                  .formatted(at));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot read the permissions of " + www, e);
    }
  }
}
