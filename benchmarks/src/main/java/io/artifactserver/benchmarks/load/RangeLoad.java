package io.artifactserver.benchmarks.load;

import io.artifactserver.benchmarks.load.LoadReport.Round;
import java.time.Duration;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Connections that each ask for one range after the other. Without a rate the next request goes out
 * as soon as the last is answered; with one, requests are due at fixed times, and one that has to
 * wait for the answer before it counts from when it was due (no coordinated omission).
 *
 * @param connections in all
 */
record RangeLoad(
    String name,
    String description,
    Metric primary,
    Door door,
    int connections,
    ByteSpan.Source source)
    implements Scenario {

  @Override
  public Round run(Target target, ServerProbe probe, RoundSettings settings) {
    try (Client client = Client.start(settings, probe, settings.clientThreads())) {
      long interval = settings.rate() > 0 ? (long) (connections * 1e9 / settings.rate()) : 0;
      for (int i = 0; i < connections; i++) {
        EventLoop loop = client.loop(i);
        Requests requests =
            new Requests(loop, Asking.of(source, settings.content()), settings.random(i), interval);
        Connection connection =
            new Connection(loop, target, requests, Opening.PLAIN, settings.tls());
        // Those of a rate are spread over one interval.
        long first = System.nanoTime() + interval * i / connections;
        loop.run(() -> loop.schedule(first, connection::connect));
      }
      client.sleep(Duration.ofNanos(interval));
      Window window = client.open();
      client.sleep(settings.duration());
      return window.close(client.total(), Map.of());
    }
  }

  /** How one connection asks for something random. */
  @FunctionalInterface
  interface Asking {
    /**
     * Sends a request.
     *
     * @param due when it should have been sent
     */
    void ask(Connection connection, SplittableRandom random, long due);

    /** For ranges of the content. */
    static Asking of(ByteSpan.Source source, Content content) {
      return (connection, random, due) ->
          connection.request(source.next(random, content.length()), due);
    }
  }

  /** What one connection asks for. Used by its loop's thread. */
  static final class Requests implements ConnectionEvents {
    private static final long RETRY_NANOS = 100_000_000;

    private final EventLoop loop;
    private final Asking asking;
    private final SplittableRandom random;
    private final long interval;
    private long nextDue;

    /**
     * @param interval nanoseconds between requests; 0 for one right after the other
     */
    Requests(EventLoop loop, Asking asking, SplittableRandom random, long interval) {
      this.loop = loop;
      this.asking = asking;
      this.random = random;
      this.interval = interval;
    }

    @Override
    public void connected(Connection connection) {
      nextDue = Math.max(nextDue, System.nanoTime());
      next(connection);
    }

    @Override
    public void completed(Connection connection, long nanos) {
      if (connection.isOpen()) {
        next(connection);
      } else {
        connection.connect();
      }
    }

    @Override
    public void failed(Connection connection, Failure failure) {
      loop.schedule(System.nanoTime() + RETRY_NANOS, connection::connect);
    }

    private void next(Connection connection) {
      long now = System.nanoTime();
      if (interval == 0) {
        asking.ask(connection, random, now);
        return;
      }
      long due = nextDue;
      nextDue = due + interval;
      if (due - now <= 0) {
        asking.ask(connection, random, due);
      } else {
        // Sent when the timer comes: that it may come late is the client's fault alone.
        loop.schedule(due, () -> askIfIdle(connection));
      }
    }

    private void askIfIdle(Connection connection) {
      if (connection.isIdle()) {
        asking.ask(connection, random, System.nanoTime());
      }
    }
  }
}
