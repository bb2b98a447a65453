package io.artifactserver.benchmarks;

import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.storage.encrypted.EncryptedBlobStore;
import io.artifactserver.storage.encrypted.KeyRing;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** Kept as a file of authenticated segments. */
@State(Scope.Benchmark)
public class EncryptedBlob extends LargeBlob {
  /** In bytes. */
  @Param("16384")
  int segmentLength;

  @Override
  protected BlobStore store(BlobStore files) {
    return new EncryptedBlobStore(files, new HeapDataKeys(), KeyRing.ephemeral(), segmentLength);
  }
}
