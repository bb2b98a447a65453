package io.artifactserver.rest.api.artifact;

import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.ingest.IngestException;
import io.artifactserver.core.upload.UploadException;
import io.artifactserver.core.upload.UploadSession;
import io.artifactserver.rest.server.guard.UploadTurns;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Optional;

/**
 * Brings a request's body into an upload. Used by one thread.
 *
 * <p>Digesting and writing few bytes at a time would cost more than the bytes, so whatever has come
 * is gathered in a buffer, which belongs to the turn. Before the client is waited for, all of it is
 * in the upload: a newer request finds it there. While it waits, the upload has some bytes of its
 * own, no buffer, and no thread of the system.
 */
final class UploadBody {
  /** Waits for the next bytes, in bytes. */
  private static final int FIRST_LENGTH = 1024;

  private final UploadSession session;
  private final Optional<Digest> checksum;
  private final Optional<MessageDigest> digest;
  private final UploadTurns.Turn turn;
  private final UploadReception.Progress onProgress;

  /**
   * @param checksum of the whole body; then the session is marked
   * @param turn that this thread has
   */
  UploadBody(
      UploadSession session,
      Optional<Digest> checksum,
      UploadTurns.Turn turn,
      UploadReception.Progress onProgress) {
    this.session = session;
    this.checksum = checksum;
    this.digest = checksum.map(expected -> expected.algorithm().newMessageDigest());
    this.turn = turn;
    this.onProgress = onProgress;
  }

  /**
   * Reads the body to its end. What came before the client went away is kept, unless there is a
   * checksum.
   *
   * @throws IOException if the client went away
   * @throws UploadException.WrongChecksum if the bytes have another checksum; none is kept
   */
  void receive(RequestBodyStream body)
      throws IOException, IngestException, StorageException, UploadException {
    byte[] first = new byte[FIRST_LENGTH];
    int read = body.read(first, 0, first.length);
    while (read >= 0) {
      takeWhatHasCome(body, first, read);
      onProgress.kept(session.kept());
      turn.giveWay();
      read = body.read(first, 0, first.length);
    }
    if (checksum.isPresent() && !isRight(checksum.get())) {
      long position = session.status().position();
      session.rollBack();
      throw new UploadException.WrongChecksum(session.status().id(), position);
    }
  }

  /** Up to a buffer of it. */
  private void takeWhatHasCome(RequestBodyStream body, byte[] first, int length)
      throws IOException, IngestException, StorageException, UploadException {
    byte[] buffer = turn.buffer();
    System.arraycopy(first, 0, buffer, 0, length);
    int filled = length;
    try {
      int read = 0;
      while (read >= 0 && filled < buffer.length && body.available() > 0) {
        read = body.read(buffer, filled, buffer.length - filled);
        filled += Math.max(0, read);
      }
    } catch (IOException e) {
      append(buffer, filled);
      throw e;
    }
    append(buffer, filled);
  }

  private boolean isRight(Digest expected) {
    return MessageDigest.isEqual(digest.orElseThrow().digest(), expected.bytes());
  }

  private void append(byte[] buffer, int length)
      throws IngestException, StorageException, UploadException {
    if (length > 0) {
      digest.ifPresent(running -> running.update(buffer, 0, length));
      session.append(ByteBuffer.wrap(buffer, 0, length));
    }
  }
}
