package io.artifactserver.rest.command.client;

import io.artifactserver.core.catalog.ArtifactId;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A file on its way to the server. Shared by the threads that send it.
 *
 * @param channel reads the file; the caller closes it
 * @param length of the file in bytes, when the channel was opened
 * @param id of the artifact that the file becomes
 * @param state remembers the unfinished upload; used by one thread at a time
 * @param begun the unfinished upload, with no ids while there is none
 * @param sha256 of the file in hexadecimal, as soon as it is known
 * @param sent bytes that went over the network, repeated ones included
 */
record PushedFile(
    Path path,
    FileChannel channel,
    long length,
    ArtifactId id,
    UploadState state,
    AtomicReference<UploadState.Begun> begun,
    CompletableFuture<String> sha256,
    AtomicLong sent) {
  /** Changes when a file does, as far as the file system tells. */
  static String version(Path path) throws IOException {
    BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
    return "%d bytes of %s, %s"
        .formatted(attributes.size(), attributes.lastModifiedTime(), attributes.fileKey());
  }

  /** Whether the file has the bytes that were pushed; it is read if it was written to meanwhile. */
  boolean isUnchanged(Console console) throws InterruptedException {
    try {
      return version(path).equals(begun.get().version())
          || FileDigest.of(path, console).equals(sha256.join());
    } catch (IOException e) {
      return false;
    }
  }
}
