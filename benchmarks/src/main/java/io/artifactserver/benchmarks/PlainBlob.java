package io.artifactserver.benchmarks;

import io.artifactserver.core.blob.BlobStore;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** Kept as a file. */
@State(Scope.Benchmark)
public class PlainBlob extends LargeBlob {
  @Override
  protected BlobStore store(BlobStore files) {
    return files;
  }
}
