package io.artifactserver.rest.hawkbit;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.InMemoryBlobStore;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.grant.Arrival;
import io.artifactserver.core.grant.GrantedArtifact;
import io.artifactserver.core.grant.GrantedFile;
import io.artifactserver.core.grant.PulledFiles;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Optional;

/** Keeps the bytes of one file that is fetched. Thread-safe. */
final class ArrivingFiles implements PulledFiles {
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final GrantedFile file;
  private volatile boolean isFinished;
  private volatile boolean streams = true;

  ArrivingFiles() throws StorageException {
    InMemoryBlobStore store = new InMemoryBlobStore();
    try (BlobUpload upload = store.begin()) {
      file = new GrantedFile(store.blob(upload.commit()), Instant.EPOCH);
    }
  }

  byte[] bytes() {
    return bytes.toByteArray();
  }

  boolean isFinished() {
    return isFinished;
  }

  /** From now on files are found once they have arrived. */
  void waitForAll() {
    streams = false;
  }

  @Override
  public boolean streams() {
    return streams;
  }

  @Override
  public Optional<GrantedFile> known(GrantedArtifact artifact) {
    return Optional.empty();
  }

  @Override
  public GrantedFile check(GrantedArtifact artifact) throws StorageException {
    throw new StorageException.BlobNotFound("hawkbit", new BlobRef("0".repeat(32), 0), null);
  }

  @Override
  public Arrival begin(GrantedArtifact artifact) {
    return new Arrival() {
      @Override
      public GrantedFile file() {
        return file;
      }

      @Override
      public long position() {
        return bytes.size();
      }

      @Override
      public void write(ByteBuffer source) {
        byte[] next = new byte[source.remaining()];
        source.get(next);
        bytes.writeBytes(next);
      }

      @Override
      public void finish() {
        isFinished = true;
      }

      @Override
      public void close() {}
    };
  }
}
