package io.artifactserver.core.upload;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.ingest.IngestException;
import io.artifactserver.core.ingest.IngestRequest;
import io.artifactserver.core.range.ByteRange;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Fills an upload with the bytes of its parts, one part after the other. Each is read once, as the
 * digests of the whole need its bytes in order, and is written to its new place meanwhile; then it
 * is deleted. So there is never more than one part twice. What ends the copy ends no progress: it
 * goes on at the last checkpoint, in the middle of a part too.
 *
 * @param uploads by id
 * @param between run between two buffers
 */
record Concatenation(UploadPorts ports, Map<String, LiveUpload> uploads, Runnable between) {
  private static final int BUFFER_LENGTH = 512 * 1024;

  /**
   * Fills the upload of a session. I/O, for as long as it takes to read all bytes.
   *
   * @throws UploadException.NotFound if a part is gone, or has not all of its bytes
   */
  void fill(UploadSession session) throws UploadException, IngestException, StorageException {
    UploadStatus status = session.status();
    List<String> ids = status.parts();
    List<LiveUpload> parts = new ArrayList<>();
    long left = 0;
    for (String id : ids.subList(session.partsInPlace(), ids.size())) {
      LiveUpload part = uploads.get(id);
      if (part == null) {
        throw new UploadException.NotFound(id);
      }
      left += blob(part).length();
      parts.add(part);
    }
    if (status.request().declaredLength() == IngestRequest.UNKNOWN_LENGTH) {
      session.declare(status.position() + left);
    }
    long begin = session.status().request().declaredLength() - left;
    ByteBuffer buffer = ByteBuffer.allocate(BUFFER_LENGTH);
    for (LiveUpload part : parts) {
      BlobRef blob = blob(part);
      copy(part, blob, session.status().position() - begin, session, buffer);
      session.endPart(part);
      endAll(ids.subList(0, session.partsKept()));
      begin += blob.length();
    }
  }

  /** Ends parts whose bytes have another place. Those that are over already stay so. */
  void endAll(List<String> parts) {
    for (String id : parts) {
      LiveUpload part = uploads.get(id);
      if (part != null) {
        part.end();
      }
    }
  }

  /**
   * Copies the rest of a part.
   *
   * @param position in the part
   */
  private void copy(
      LiveUpload part, BlobRef blob, long position, UploadSession session, ByteBuffer buffer)
      throws UploadException, IngestException, StorageException {
    if (position == blob.length()) {
      return;
    }
    try (RangeReader reader =
        ports.stores().blob(blob).open(new ByteRange(position, blob.length() - position))) {
      while (reader.read(buffer.clear()) >= 0) {
        session.append(buffer.flip());
        between.run();
      }
    } catch (StorageException.BlobLost e) {
      // Somebody has ended it meanwhile, or its bytes are lost.
      part.end();
      throw new UploadException.NotFound(part.status().id(), e);
    }
  }

  private static BlobRef blob(LiveUpload part) throws UploadException.NotFound {
    return part.part().orElseThrow(() -> new UploadException.NotFound(part.status().id()));
  }
}
