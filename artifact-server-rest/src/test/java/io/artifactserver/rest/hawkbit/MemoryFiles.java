package io.artifactserver.rest.hawkbit;

import io.artifactserver.core.blob.Blob;
import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.InMemoryBlobStore;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.grant.GrantedArtifact;
import io.artifactserver.core.grant.GrantedFile;
import io.artifactserver.core.grant.GrantedFiles;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** hawkBit's folder in memory, by SHA-1. Thread-safe. */
public final class MemoryFiles implements GrantedFiles {
  private final InMemoryBlobStore store = new InMemoryBlobStore();
  private final Map<String, Blob> files = new ConcurrentHashMap<>();
  private final Map<String, GrantedFile> known = new ConcurrentHashMap<>();
  private final AtomicInteger checks = new AtomicInteger();

  public void add(String sha1, byte[] content) throws StorageException {
    try (BlobUpload upload = store.begin()) {
      upload.write(ByteBuffer.wrap(content));
      BlobRef ref = upload.commit();
      files.put(sha1, store.blob(ref));
    }
  }

  public void remove(String sha1) {
    files.remove(sha1);
    known.remove(sha1);
  }

  public int checks() {
    return checks.get();
  }

  @Override
  public Optional<GrantedFile> known(GrantedArtifact artifact) {
    return Optional.ofNullable(known.get(artifact.sha1().hex()));
  }

  @Override
  public GrantedFile check(GrantedArtifact artifact) throws StorageException {
    checks.incrementAndGet();
    Blob blob = files.get(artifact.sha1().hex());
    if (blob == null) {
      throw new StorageException.BlobNotFound("hawkbit", new BlobRef("0".repeat(32), 0), null);
    }
    if (blob.length() != artifact.length()) {
      throw new StorageException.StorageUnavailable("hawkbit", "half a file", null);
    }
    GrantedFile file = new GrantedFile(blob, Instant.EPOCH);
    known.put(artifact.sha1().hex(), file);
    return file;
  }
}
