package io.artifactserver.benchmarks.planted;

import io.artifactserver.benchmarks.ProgressBenchmark;
import io.artifactserver.core.progress.DeliveredBytes;
import io.artifactserver.core.progress.ProgressBook;
import io.artifactserver.core.range.ByteRange;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** The benchmark of progress that is merged into all of its runs at once, as it once was. */
@State(Scope.Thread)
public class PlantedProgress extends ProgressBenchmark {
  private DeliveredBytes delivered = DeliveredBytes.NONE;

  @Override
  protected void deliver(ProgressBook.Entry entry, ByteRange range) {
    delivered = delivered.plus(range);
  }
}
