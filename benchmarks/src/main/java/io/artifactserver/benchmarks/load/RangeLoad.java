package io.artifactserver.benchmarks.load;

import io.artifactserver.benchmarks.load.LoadReport.Round;
import java.time.Duration;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Supplier;

/**
 * Connections that each ask for one range after the other. Without a rate the next request goes out
 * as soon as the last is answered; with one, requests are due at fixed times, and one that has to
 * wait for the answer before it counts from when it was due (no coordinated omission).
 *
 * @param connections in all
 */
record RangeLoad(int connections, ByteSpan.Source source) implements Load {

  @Override
  public Round run(Target target, ServerProbe probe, RoundSettings settings) {
    try (Client client = new Client(settings, probe)) {
      long interval = settings.rate() > 0 ? (long) (connections * 1e9 / settings.rate()) : 0;
      for (int i = 0; i < connections; i++) {
        // Those of a rate are spread over one interval.
        long begin = System.nanoTime() + interval * i / connections;
        client.start(
            client.connection(target),
            new Asking(ranges(source, settings, settings.random(i)), interval, begin));
      }
      client.sleep(Duration.ofNanos(interval));
      Window window = client.open();
      client.sleep(settings.duration());
      return window.close(client.total(), Map.of());
    }
  }

  private static Supplier<Request> ranges(
      ByteSpan.Source source, RoundSettings settings, SplittableRandom random) {
    return () -> Request.range(source.next(random, settings.content().length()));
  }

  /** Random ranges of one length at a rate, beside other connections. */
  static void startBeside(
      Client client,
      Target target,
      RoundSettings settings,
      int connections,
      int length,
      double rate) {
    for (int i = 0; i < connections; i++) {
      client.startBeside(
          client.connection(target),
          new Asking(
              ranges(ByteSpan.random(length), settings, settings.random(i)),
              (long) (connections * 1e9 / rate),
              System.nanoTime()));
    }
  }

  /**
   * One request after the other.
   *
   * @param interval nanoseconds between them; 0 for one right after the other
   * @param begin when the first one is due
   */
  record Asking(Supplier<Request> requests, long interval, long begin) implements Client.Device {
    @Override
    public void run(Connection connection) throws RequestFailedException, InterruptedException {
      connection.connect();
      long due = Math.max(begin, System.nanoTime());
      while (true) {
        if (!connection.isOpen()) {
          connection.connect();
        }
        long early = due - System.nanoTime();
        if (interval > 0 && early > 0) {
          Thread.sleep(Duration.ofNanos(early));
        }
        // That a thread wakes up late is the client's fault alone.
        connection.get(requests.get(), interval > 0 && early <= 0 ? due : System.nanoTime());
        due += interval;
      }
    }
  }
}
