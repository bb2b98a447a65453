package io.artifactserver.core.ingest;

import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.Digests;
import io.artifactserver.core.digest.MultiDigester;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Reads the bytes of an upload and digests them, and checks both against what was announced.
 *
 * @param digestExecutor runs the digests of all uploads; bounds their parallelism
 */
record Reading(Executor digestExecutor) {
  /** Two of these are an upload's whole memory, in bytes. */
  static final int BUFFER_LENGTH = 512 * 1024;

  /** Reads the whole source through two buffers; returns its digests, checked. */
  Digests transfer(IncomingArtifact incoming, Sink sink) throws IngestException, StorageException {
    IngestRequest request = incoming.request();
    InputStream source = incoming.source();
    MultiDigester digester = new MultiDigester(digestExecutor);
    byte[] filled = new byte[BUFFER_LENGTH];
    byte[] spare = new byte[BUFFER_LENGTH];
    int length = fill(request, source, filled, 0);
    long received = length;
    while (length > 0) {
      CompletableFuture<Void> digested = digester.update(ByteBuffer.wrap(filled, 0, length));
      int nextLength;
      try {
        sink.accept(ByteBuffer.wrap(filled, 0, length), received);
        nextLength = fill(request, source, spare, received);
      } finally {
        digested.join();
      }
      received += nextLength;
      length = nextLength;
      byte[] next = spare;
      spare = filled;
      filled = next;
    }
    if (request.declaredLength() != IngestRequest.UNKNOWN_LENGTH
        && request.declaredLength() != received) {
      throw new IngestException.LengthMismatch(request.id(), request.declaredLength(), received);
    }
    Digests digests = digester.digests();
    requireAnnounced(incoming.whole().get(), digests);
    return digests;
  }

  static void requireAnnounced(IngestRequest request, Digests digests)
      throws IngestException.DigestMismatch {
    for (Digest expected : request.expectedDigests()) {
      Digest actual = digests.get(expected.algorithm()).orElseThrow();
      if (!actual.equals(expected)) {
        throw new IngestException.DigestMismatch(request.id(), expected, actual);
      }
    }
  }

  /** Fills the buffer as far as the source goes. Returns the bytes read. */
  private static int fill(IngestRequest request, InputStream source, byte[] buffer, long received)
      throws IngestException.SourceFailed {
    int filled = 0;
    try {
      while (filled < buffer.length) {
        int read = source.read(buffer, filled, buffer.length - filled);
        if (read < 0) {
          break;
        }
        filled += read;
      }
      return filled;
    } catch (IOException e) {
      throw new IngestException.SourceFailed(request.id(), received + filled, e);
    }
  }

  @FunctionalInterface
  interface Sink {
    void accept(ByteBuffer buffer, long received) throws IngestException, StorageException;
  }
}
