package io.artifactserver.benchmarks;

import io.artifactserver.benchmarks.baseline.SkippingDecryption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** A ciphertext as long as a {@link LargeBlob}, and the old way to read it. */
// JMH calls the set-up before anything else; a constructor cannot do its work.
@SuppressWarnings("NullAway.Init")
@State(Scope.Benchmark)
public class CounterModeFile {
  private Path file;
  private SkippingDecryption skipping;

  /** Writes the file. */
  @Setup(Level.Trial)
  public void create() throws IOException {
    file = Files.createTempFile("benchmark-ciphertext", "");
    skipping = new SkippingDecryption(file);
    skipping.create(LargeBlob.LENGTH);
  }

  /** Deletes it. */
  @TearDown(Level.Trial)
  public void delete() throws IOException {
    Files.delete(file);
  }

  SkippingDecryption skipping() {
    return skipping;
  }
}
