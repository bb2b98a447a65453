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
record FreshConnections(int devices, ByteSpan.Source source, boolean resumes) implements Load {

  @Override
  public Round run(Target target, ServerProbe probe, RoundSettings settings) {
    Optional<TrustingTls> tls = settings.tls();
    try (Client client = new Client(settings, probe)) {
      for (int i = 0; i < devices; i++) {
        SplittableRandom random = settings.random(i);
        client.start(
            client.connection(target).resuming(resumes ? "device-" + i : ""),
            connection -> {
              while (true) {
                long begun = System.nanoTime();
                connection.connect();
                ByteSpan span = source.next(random, settings.content().length());
                connection.get(Request.range(span), begun);
                connection.close();
              }
            });
      }
      Window window = client.open();
      long before = tls.map(TrustingTls::fullHandshakes).orElse(0L);
      client.sleep(settings.duration());
      Map<String, Double> more = new HashMap<>();
      tls.ifPresent(engines ->
          more.put("full handshakes/s", (engines.fullHandshakes() - before) / window.seconds()));
      return window.close(client.total(), more);
    }
  }
}
