package io.artifactserver.benchmarks.load;

import io.artifactserver.benchmarks.load.LoadReport.Round;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Devices that keep a connection open between their requests: each asks for 4 KiB when it connects,
 * idles, and asks once more in the measured time.
 */
record IdleConnections(int connections) implements Scenario {
  private static final int LENGTH = 4096;
  private static final int RECEIVE_BUFFER = 64 * 1024;
  private static final int CONNECTS_PER_TICK = 20;
  private static final long TICK_NANOS = 10_000_000;

  @Override
  public String name() {
    return "idle";
  }

  @Override
  public String description() {
    return "%,d keep-alive connections, each with a request of 4 KiB now and then"
        .formatted(connections);
  }

  @Override
  public Metric primary() {
    return Metric.MEMORY_GROWTH;
  }

  @Override
  public boolean warmsUp() {
    return false;
  }

  @Override
  public Round run(Target target, ServerProbe probe, RoundSettings settings) {
    try (Client client = Client.start(settings, probe, 1)) {
      EventLoop loop = client.loop(0);
      AtomicInteger answered = new AtomicInteger();
      List<Connection> all = new ArrayList<>();
      long start = System.nanoTime();
      for (int i = 0; i < connections; i++) {
        all.add(
            new Connection(
                loop,
                target,
                new Device(loop, settings.random(i), answered),
                Sockets.device(target, i, RECEIVE_BUFFER),
                settings.tls()));
      }
      loop.run(() -> {
        for (int i = 0; i < connections; i++) {
          loop.schedule(start + i / CONNECTS_PER_TICK * TICK_NANOS, all.get(i)::connect);
        }
      });
      Duration ramp = Duration.ofNanos(connections / CONNECTS_PER_TICK * TICK_NANOS);
      client.await(ramp.plus(settings.stall()), () -> answered.get() >= connections);
      double first = answered.get();
      Window window = client.open();
      long begin = System.nanoTime();
      long spread = settings.duration().toNanos();
      loop.run(() -> {
        for (int i = 0; i < connections; i++) {
          Connection connection = all.get(i);
          loop.schedule(begin + spread / connections * i, () -> again(loop, connection));
        }
      });
      client.sleep(settings.duration());
      client.await(settings.stall(), () -> answered.get() >= 2 * connections);
      return window.close(
          client.total(),
          Map.of(
              "connections",
              (double) connections,
              "answered first",
              first,
              "answered again",
              answered.get() - first));
    }
  }

  private static void again(EventLoop loop, Connection connection) {
    if (connection.isIdle()) {
      connection.request(
          new ByteSpan(0, Math.min(LENGTH, loop.content().length())), System.nanoTime());
    }
  }

  /** Used by its loop's thread. */
  private record Device(EventLoop loop, SplittableRandom random, AtomicInteger answered)
      implements ConnectionEvents {

    @Override
    public void connected(Connection connection) {
      connection.request(ByteSpan.at(random, LENGTH, loop.content().length()), System.nanoTime());
    }

    @Override
    public void completed(Connection connection, long nanos) {
      answered.incrementAndGet();
    }

    @Override
    public void failed(Connection connection, Failure failure) {
      // It stays closed, and so its second request is missing from the result.
    }
  }
}
