package io.artifactserver.benchmarks.load;

import io.artifactserver.benchmarks.load.LoadReport.Round;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Updates by casync or desync: connections that each ask for one random chunk after the other,
 * while others ask for ranges of the file at a fixed rate.
 */
record ChunkLoad(ChunkStore store) implements Load {
  /** Latency beside the chunks, in milliseconds. */
  static final String RANGES_P99 = "ranges p99 ms";

  private static final int CONNECTIONS = 64;
  private static final int RANGE_CONNECTIONS = 4;
  private static final int RANGE_LENGTH = 128 * 1024;
  private static final double RANGE_RATE = 200;

  @Override
  public Round run(Target target, ServerProbe probe, RoundSettings settings) {
    List<Request> chunks =
        store.chunks().stream()
            .map(chunk ->
                new Request(
                    target.uri().resolve(chunk.path()).getRawPath(), "", chunk.span(), true))
            .toList();
    try (Client client = new Client(settings.with(store.content()), probe);
        Client beside = new Client(settings, probe)) {
      for (int i = 0; i < CONNECTIONS; i++) {
        SplittableRandom random = settings.random(i);
        client.start(
            client.connection(target),
            new RangeLoad.Asking(
                () -> chunks.get(random.nextInt(chunks.size())), 0, System.nanoTime()));
      }
      RangeLoad.startBeside(beside, target, settings, RANGE_CONNECTIONS, RANGE_LENGTH, RANGE_RATE);
      beside.open();
      Window window = client.open();
      client.await(
          settings.duration(),
          () -> {
            beside.look();
            return false;
          });
      Tally.Total ranges = beside.total();
      return window.close(
          client.total().withFailuresOf(ranges), Map.of(RANGES_P99, ranges.latency().p99()));
    }
  }
}
