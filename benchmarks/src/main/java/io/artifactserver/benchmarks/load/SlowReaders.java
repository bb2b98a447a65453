package io.artifactserver.benchmarks.load;

import io.artifactserver.benchmarks.load.LoadReport.Round;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Many devices on slow links download, while a normal client's requests are measured: 128 KiB
 * ranges at a set rate on a thread of their own.
 *
 * @param readers devices with one connection each
 * @param bytesPerSecond of each
 */
record SlowReaders(int readers, long bytesPerSecond) implements Scenario {
  /** Readers that did not get what their link could have carried. */
  static final String STARVED = "readers below full rate";

  /** Anonymous memory that the server took for them. */
  static final String MEMORY = "KB a reader";

  private static final int NORMAL_CONNECTIONS = 4;
  private static final double NORMAL_RATE = 100;
  private static final int NORMAL_LENGTH = 128 * 1024;
  private static final long INTERVAL_NANOS = 200_000_000;

  /**
   * Over loopback a segment is 64 KB, and the kernel opens the window only for whole ones: a
   * smaller buffer runs dry between two of them although the server is not late.
   */
  private static final int RECEIVE_BUFFER = 256 * 1024;

  private static final int CONNECTS_PER_TICK = 20;
  private static final long TICK_NANOS = 10_000_000;

  /** A reader below this part of its rate, less one portion, was not served at full rate. */
  private static final double FULL = 0.95;

  @Override
  public String name() {
    return "slow";
  }

  @Override
  public String description() {
    return "%,d readers at %d KB/s each; latency of %d KiB ranges, %.0f a second, on %d more connections"
        .formatted(
            readers, bytesPerSecond / 1000, NORMAL_LENGTH / 1024, NORMAL_RATE, NORMAL_CONNECTIONS);
  }

  @Override
  public Metric primary() {
    return Metric.P99;
  }

  @Override
  public boolean warmsUp() {
    return false;
  }

  @Override
  public Round run(Target target, ServerProbe probe, RoundSettings settings) {
    // Loop 0 has the normal client, loop 1 the readers.
    try (Client client = Client.start(settings, probe, 2)) {
      EventLoop slow = client.loop(1);
      List<Connection> connections =
          connect(
              client,
              slow,
              target,
              readers,
              settings,
              connection -> connection.pace(bytesPerSecond, INTERVAL_NANOS));
      askBeside(client.loop(0), target, settings);
      // What the sockets' buffers held at first has been read by then.
      client.sleep(Duration.ofSeconds(2));
      Window window = client.open();
      long[] before = totals(slow, connections);
      long since = System.nanoTime();
      client.sleep(settings.duration());
      long[] after = totals(slow, connections);
      double seconds = (System.nanoTime() - since) / 1e9;
      double enough = bytesPerSecond * (FULL * seconds - INTERVAL_NANOS / 1e9);
      int full = 0;
      for (int i = 0; i < readers; i++) {
        full += after[i] - before[i] >= enough ? 1 : 0;
      }
      Round round = window.close(client.total(), Map.of());
      double growth = round.anonymousBytes() - round.anonymousBytesBefore();
      return round.and(
          Map.of(
              "readers",
              (double) readers,
              STARVED,
              (double) readers - full,
              MEMORY,
              growth / 1000 / readers));
    }
  }

  /**
   * Connects readers of the whole file, each from an address of its own, and waits for them.
   *
   * @param prepare is given each connection before it connects
   */
  static List<Connection> connect(
      Client client,
      EventLoop loop,
      Target target,
      int readers,
      RoundSettings settings,
      Consumer<Connection> prepare) {
    AtomicInteger connected = new AtomicInteger();
    List<Connection> connections = new ArrayList<>();
    long start = System.nanoTime();
    for (int i = 0; i < readers; i++) {
      Connection connection =
          new Connection(
              loop,
              target,
              new Reader(loop, connected),
              Sockets.device(target, i, RECEIVE_BUFFER),
              settings.tls());
      prepare.accept(connection);
      connections.add(connection);
    }
    loop.run(() -> {
      for (int i = 0; i < readers; i++) {
        loop.schedule(start + i / CONNECTS_PER_TICK * TICK_NANOS, connections.get(i)::connect);
      }
    });
    client.await(settings.stall().plusSeconds(5), () -> connected.get() >= readers);
    return connections;
  }

  /** Begins the normal client's requests. */
  static void askBeside(EventLoop loop, Target target, RoundSettings settings) {
    long interval = (long) (NORMAL_CONNECTIONS * 1e9 / NORMAL_RATE);
    for (int i = 0; i < NORMAL_CONNECTIONS; i++) {
      RangeLoad.Requests requests =
          new RangeLoad.Requests(
              loop,
              RangeLoad.Asking.of(ByteSpan.random(NORMAL_LENGTH), settings.content()),
              settings.random(i),
              interval);
      Connection connection = new Connection(loop, target, requests, Opening.PLAIN, settings.tls());
      loop.run(() -> loop.schedule(System.nanoTime(), connection::connect));
    }
  }

  /** What each of them has received. */
  static long[] totals(EventLoop loop, List<Connection> connections) {
    return loop.call(() -> connections.stream().mapToLong(Connection::totalReceived).toArray());
  }

  /** Downloads for ever. Used by its loop's thread. */
  private static final class Reader implements ConnectionEvents {
    private static final long RETRY_NANOS = 1_000_000_000;

    private final EventLoop loop;
    private final AtomicInteger connected;
    private boolean counted;

    Reader(EventLoop loop, AtomicInteger connected) {
      this.loop = loop;
      this.connected = connected;
    }

    @Override
    public void connected(Connection connection) {
      if (!counted) {
        counted = true;
        connected.incrementAndGet();
      }
      connection.requestWhole(System.nanoTime());
    }

    @Override
    public void completed(Connection connection, long nanos) {
      connection.abort();
      connection.connect();
    }

    @Override
    public void failed(Connection connection, Failure failure) {
      loop.schedule(System.nanoTime() + RETRY_NANOS, connection::connect);
    }
  }
}
