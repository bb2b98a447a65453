package io.artifactserver.core.upload;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.ingest.IngestException;
import io.artifactserver.core.range.ByteRange;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Fills an upload with the bytes of its parts, one part after the other. Each is read once, as the
 * digests of the whole need its bytes in order, and is written to its new place meanwhile; then it
 * is deleted. So there is never more than one part twice, and after a crash the part that was on
 * its way begins again.
 *
 * @param uploads by id
 * @param between run between two buffers
 */
record Concatenation(UploadPorts ports, Map<String, LiveUpload> uploads, Runnable between) {
  private static final int BUFFER_LENGTH = 512 * 1024;

  /**
   * Fills the upload of a session. I/O, for as long as it takes to read all bytes.
   *
   * @return false if parts have not all of their bytes yet; nothing was done then
   * @throws UploadException.NotFound if a part is gone
   */
  boolean fill(UploadSession session) throws UploadException, IngestException, StorageException {
    UploadStatus status = session.status();
    List<LiveUpload> parts = new ArrayList<>();
    for (String id : status.parts().subList(session.partsInPlace(), status.parts().size())) {
      LiveUpload part = uploads.get(id);
      if (part == null) {
        throw new UploadException.NotFound(id);
      }
      if (part.part().isEmpty()) {
        return false;
      }
      parts.add(part);
    }
    ByteBuffer buffer = ByteBuffer.allocate(BUFFER_LENGTH);
    for (LiveUpload part : parts) {
      session.mark();
      part.giveRoomBack();
      copy(part.part().orElseThrow(), session, buffer);
      session.endPart();
      if (session.kept() == session.status().position()) {
        part.end();
      }
    }
    session.declare(session.status().position());
    return true;
  }

  private void copy(BlobRef blob, UploadSession session, ByteBuffer buffer)
      throws UploadException, IngestException, StorageException {
    try (RangeReader reader = ports.stores().blob(blob).open(ByteRange.whole(blob.length()))) {
      while (reader.read(buffer.clear()) >= 0) {
        session.append(buffer.flip());
        between.run();
      }
    }
  }
}
