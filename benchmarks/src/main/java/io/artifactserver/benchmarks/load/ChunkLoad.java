package io.artifactserver.benchmarks.load;

import io.artifactserver.benchmarks.load.LoadReport.Round;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/**
 * Updates by casync or desync: connections that each ask for one random chunk after the other,
 * while others ask for ranges of the file at a fixed rate.
 */
record ChunkLoad(ChunkStore store) implements Scenario {
  static final String NAME = "chunks";

  /** Latency beside the chunks, in milliseconds. */
  static final String RANGES_P99 = "ranges p99 ms";

  private static final int CONNECTIONS = 64;
  private static final int RANGE_CONNECTIONS = 4;
  private static final int RANGE_LENGTH = 128 * 1024;
  private static final double RANGE_RATE = 200;

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public String description() {
    return "%d connections, random chunks of a casync store of %,d; latency of %d KiB ranges, %.0f a second, on %d more connections"
        .formatted(
            CONNECTIONS, store.chunks().size(), RANGE_LENGTH / 1024, RANGE_RATE, RANGE_CONNECTIONS);
  }

  @Override
  public Metric primary() {
    return Metric.REQUEST_RATE;
  }

  @Override
  public Round run(Target target, ServerProbe probe, RoundSettings settings) {
    List<Asked> asked = store.chunks().stream().map(chunk -> Asked.of(target, chunk)).toList();
    try (Client client =
            Client.start(settings.with(store.content()), probe, settings.clientThreads());
        Client beside = Client.start(settings, probe, 1)) {
      for (int i = 0; i < CONNECTIONS; i++) {
        connect(
            client.loop(i),
            target,
            settings,
            i,
            0,
            (connection, random, due) -> {
              Asked next = asked.get(random.nextInt(asked.size()));
              connection.requestResource(next.head(), next.span(), due);
            });
      }
      long interval = (long) (RANGE_CONNECTIONS * 1e9 / RANGE_RATE);
      RangeLoad.Asking ranges =
          RangeLoad.Asking.of(ByteSpan.random(RANGE_LENGTH), settings.content());
      for (int i = 0; i < RANGE_CONNECTIONS; i++) {
        connect(beside.loop(i), target, settings, CONNECTIONS + i, interval, ranges);
      }
      beside.open();
      Window window = client.open();
      client.sleep(settings.duration());
      Tally total = client.total();
      Tally rangesTotal = beside.total();
      rangesTotal
          .failures()
          .keySet()
          .forEach(kind -> total.failed(new Failure(kind, rangesTotal.firstFailure())));
      return window.close(total, Map.of(RANGES_P99, rangesTotal.latency().p99()));
    }
  }

  private static void connect(
      EventLoop loop,
      Target target,
      RoundSettings settings,
      int number,
      long interval,
      RangeLoad.Asking asking) {
    RangeLoad.Requests requests =
        new RangeLoad.Requests(loop, asking, settings.random(number), interval);
    Connection connection = new Connection(loop, target, requests, Opening.PLAIN, settings.tls());
    loop.run(() -> loop.schedule(System.nanoTime(), connection::connect));
  }

  /**
   * A chunk of a server.
   *
   * @param head of the request, whole
   */
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  private record Asked(byte[] head, ByteSpan span) {
    static Asked of(Target file, ChunkStore.Chunk chunk) {
      Target target = new Target(file.uri().resolve(chunk.path()), file.authorization());
      return new Asked(
          (target.requestHead() + "\r\n").getBytes(StandardCharsets.US_ASCII), chunk.span());
    }
  }
}
