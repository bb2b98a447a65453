package io.artifactserver.rest.api.artifact;

import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.ingest.IngestException;
import io.artifactserver.core.upload.UploadException;
import io.artifactserver.core.upload.UploadSession;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Optional;

/**
 * Brings a request's body into an upload. Used by one thread.
 *
 * <p>Digesting and writing few bytes at a time would cost more than the bytes, so what has come is
 * gathered. Before the client is waited for, it goes on: a newer request finds all that came.
 */
final class UploadBody {
  private static final int BUFFER_LENGTH = 256 * 1024;

  private final UploadSession session;
  private final Optional<Digest> checksum;
  private final Optional<MessageDigest> digest;
  private final byte[] buffer = new byte[BUFFER_LENGTH];
  private int filled;

  /**
   * @param checksum of the whole body; then the session is marked
   */
  UploadBody(UploadSession session, Optional<Digest> checksum) {
    this.session = session;
    this.checksum = checksum;
    this.digest = checksum.map(expected -> expected.algorithm().newMessageDigest());
  }

  /**
   * Reads the body to its end. What came before the client went away is kept, unless there is a
   * checksum.
   *
   * @throws IOException if the client went away
   * @throws UploadException.WrongChecksum if the bytes have another checksum; none is kept
   */
  void receive(InputStream body)
      throws IOException, IngestException, StorageException, UploadException {
    try {
      int read = 0;
      while (read >= 0) {
        read = body.read(buffer, filled, buffer.length - filled);
        filled += Math.max(0, read);
        if (filled == buffer.length || (read > 0 && body.available() == 0)) {
          append();
        }
      }
    } catch (StorageException e) {
      throw e;
    } catch (IOException e) {
      append();
      throw e;
    }
    append();
    if (checksum.isPresent() && !isRight(checksum.get())) {
      long position = session.status().position();
      session.rollBack();
      throw new UploadException.WrongChecksum(session.status().id(), position);
    }
  }

  private boolean isRight(Digest expected) {
    return MessageDigest.isEqual(digest.orElseThrow().digest(), expected.bytes());
  }

  private void append() throws IngestException, StorageException, UploadException {
    if (filled > 0) {
      digest.ifPresent(running -> running.update(buffer, 0, filled));
      session.append(ByteBuffer.wrap(buffer, 0, filled));
      filled = 0;
    }
  }
}
