package io.artifactserver.benchmarks.load;

import io.artifactserver.benchmarks.load.LoadReport.Round;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;

/**
 * Many devices on slow links download, while a normal client's requests are measured: 128 KiB
 * ranges at a set rate, on threads of their own.
 *
 * @param readers devices with one connection each
 * @param bytesPerSecond of each
 */
record SlowReaders(int readers, long bytesPerSecond) implements Load {
  /** Readers that did not get what their link could have carried. */
  static final String STARVED = "readers below full rate";

  /** Anonymous memory that the server took for them. */
  static final String MEMORY = "KB a reader";

  private static final int NORMAL_CONNECTIONS = 4;
  private static final double NORMAL_RATE = 100;
  private static final int NORMAL_LENGTH = 128 * 1024;
  private static final Duration INTERVAL = Duration.ofMillis(200);

  /**
   * Over loopback a segment is 64 KB, and the kernel opens the window only for whole ones: a
   * smaller buffer runs dry between two of them although the server is not late.
   */
  private static final int RECEIVE_BUFFER = 256 * 1024;

  private static final int CONNECTS_PER_SECOND = 2_000;

  /** A reader below this part of its rate, less one portion, was not served at full rate. */
  private static final double FULL = 0.95;

  @Override
  public Round run(Target target, ServerProbe probe, RoundSettings settings) {
    try (Client client = new Client(settings, probe)) {
      List<Connection> connections =
          connect(client, target, readers, settings, slow -> slow.paced(bytesPerSecond, INTERVAL));
      askBeside(client, target, settings);
      // The sockets' first buffers have been read by then.
      client.sleep(Duration.ofSeconds(2));
      Window window = client.open();
      long[] before = totals(connections);
      client.sleep(settings.duration());
      long[] after = totals(connections);
      double enough = bytesPerSecond * (FULL * window.seconds() - INTERVAL.toMillis() / 1e3);
      int full = 0;
      for (int i = 0; i < readers; i++) {
        full += after[i] - before[i] >= enough ? 1 : 0;
      }
      return window.close(
          client.total(),
          readers,
          Map.of("readers", (double) readers, STARVED, (double) readers - full));
    }
  }

  /**
   * Connects readers of the whole file, each from an address of its own, and waits for them.
   *
   * @param link changes each connection before it connects
   */
  static List<Connection> connect(
      Client client,
      Target target,
      int readers,
      RoundSettings settings,
      UnaryOperator<Connection> link) {
    Set<Connection> connected = ConcurrentHashMap.newKeySet();
    List<Connection> all = new ArrayList<>();
    for (int i = 0; i < readers; i++) {
      Duration ramp = ramp(i);
      Connection reader = link.apply(client.connection(target).ofDevice(i, RECEIVE_BUFFER));
      all.add(reader);
      client.start(
          reader,
          connection -> {
            Thread.sleep(ramp);
            while (true) {
              connection.connect();
              connected.add(connection);
              connection.get(Request.whole(settings.content()), System.nanoTime());
              connection.close();
            }
          });
    }
    client.await(
        ramp(readers).plus(settings.stall()).plusSeconds(5), () -> connected.size() >= readers);
    return all;
  }

  /** When a device of many connects, so that they do not come all at once. */
  static Duration ramp(int device) {
    return Duration.ofSeconds(device).dividedBy(CONNECTS_PER_SECOND);
  }

  /** Begins the normal client's requests. */
  static void askBeside(Client client, Target target, RoundSettings settings) {
    RangeLoad.startBeside(client, target, settings, NORMAL_CONNECTIONS, NORMAL_LENGTH, NORMAL_RATE);
  }

  /** Bytes that each of them has received. */
  static long[] totals(List<Connection> connections) {
    return connections.stream().mapToLong(Connection::totalReceived).toArray();
  }
}
