package io.artifactserver.benchmarks.planted;

import io.artifactserver.benchmarks.UpdateFormsBenchmark;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.derive.ChunkIndex;
import java.util.Optional;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** The benchmark of update forms, of code that has regressed. */
public final class PlantedForms {
  private PlantedForms() {}

  /** Hashes each window from its beginning, looks at each id, and does the rest again and again. */
  @State(Scope.Benchmark)
  public static class Thorough extends UpdateFormsBenchmark {
    /** The bytes of a window. */
    private static final int TIMES = 48;

    @Override
    protected int cuts() {
      return IntStream.range(0, TIMES).map(_ -> super.cuts()).max().orElseThrow();
    }

    @Override
    protected int strongSums() {
      return IntStream.range(0, TIMES).map(_ -> super.strongSums()).max().orElseThrow();
    }

    @Override
    protected Optional<ChunkIndex.Chunk> find(ChunkIndex chunks, byte[] id) {
      Optional<ChunkIndex.Chunk> wanted = chunks.find(id);
      return IntStream.range(0, chunks.count())
          .mapToObj(chunks::chunk)
          .filter(chunk -> chunk.id().equals(wanted.orElseThrow().id()))
          .findFirst();
    }

    @Override
    protected long derive() throws StorageException {
      long written = 0;
      for (int i = 0; i < TIMES; i++) {
        written = super.derive();
      }
      return written;
    }
  }
}
