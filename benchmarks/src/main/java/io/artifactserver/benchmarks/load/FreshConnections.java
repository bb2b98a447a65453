package io.artifactserver.benchmarks.load;

import io.artifactserver.benchmarks.load.LoadReport.Round;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * Devices that make a new connection for each request, as a fleet does on the morning after an
 * outage. The latency counts from the connection's first packet.
 *
 * @param devices with one connection at a time each
 * @param resumes whether a device resumes its last TLS session; without TLS there is none
 */
record FreshConnections(
    String name,
    String description,
    Metric primary,
    int devices,
    ByteSpan.Source source,
    boolean resumes)
    implements Scenario {
  static final String ONE_MEBIBYTE = "fresh-1m";
  static final String FULL = "fresh-full";
  static final String RESUMED = "fresh-resumed";

  @Override
  public boolean needsTls() {
    return resumes;
  }

  @Override
  public Round run(Target target, ServerProbe probe, RoundSettings settings) {
    Optional<TrustingTls> tls = settings.tls();
    try (Client client = Client.start(settings, probe, settings.clientThreads())) {
      for (int i = 0; i < devices; i++) {
        EventLoop loop = client.loop(i);
        String name = "device-" + i;
        Connection connection =
            new Connection(
                loop,
                target,
                new Device(loop, source, settings.random(i)),
                Opening.PLAIN,
                resumes ? tls.map(engines -> engines.resuming(name)) : tls);
        loop.run(connection::connect);
      }
      Window window = client.open();
      long before = tls.map(TrustingTls::fullHandshakes).orElse(0L);
      client.sleep(settings.duration());
      Tally total = client.total();
      Map<String, Double> more = new HashMap<>();
      tls.ifPresent(engines ->
          more.put("full handshakes/s", (engines.fullHandshakes() - before) / window.seconds()));
      return window.close(total, more);
    }
  }

  /** One connection after the other. Used by its loop's thread. */
  private static final class Device implements ConnectionEvents {
    private static final long RETRY_NANOS = 100_000_000;

    private final EventLoop loop;
    private final ByteSpan.Source source;
    private final SplittableRandom random;
    private long begun = System.nanoTime();

    Device(EventLoop loop, ByteSpan.Source source, SplittableRandom random) {
      this.loop = loop;
      this.source = source;
      this.random = random;
    }

    @Override
    public void connected(Connection connection) {
      connection.request(source.next(random, loop.content().length()), begun);
    }

    @Override
    public void completed(Connection connection, long nanos) {
      connection.abort();
      begin(connection);
    }

    @Override
    public void failed(Connection connection, Failure failure) {
      loop.schedule(System.nanoTime() + RETRY_NANOS, () -> begin(connection));
    }

    private void begin(Connection connection) {
      begun = System.nanoTime();
      connection.connect();
    }
  }
}
