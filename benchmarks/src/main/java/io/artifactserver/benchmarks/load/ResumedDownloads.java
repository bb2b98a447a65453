package io.artifactserver.benchmarks.load;

import io.artifactserver.benchmarks.load.LoadReport.Round;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.LongAdder;

/**
 * Devices that each download the whole file, again and again.
 *
 * @param devices with one connection each
 * @param drops whether they drop their connections at random points, every quarter of the file on
 *     average, and resume on new ones with If-Range
 */
record FullDownloads(String name, String description, int devices, boolean drops)
    implements Scenario {

  @Override
  public Metric primary() {
    return Metric.THROUGHPUT;
  }

  @Override
  public Round run(Target target, ServerProbe probe, RoundSettings settings) {
    LongAdder resumes = new LongAdder();
    try (Client client = Client.start(settings, probe, settings.clientThreads())) {
      for (int i = 0; i < devices; i++) {
        EventLoop loop = client.loop(i);
        Device device = new Device(loop, drops, settings.random(i), resumes);
        Connection connection = new Connection(loop, target, device, Opening.PLAIN, settings.tls());
        connection.response().wantEntityTag();
        loop.run(connection::connect);
      }
      Window window = client.open();
      long before = resumes.sum();
      client.sleep(settings.duration());
      double resumed = resumes.sum() - before;
      return window.close(
          client.total(), drops ? Map.of("resumes/s", resumed / window.seconds()) : Map.of());
    }
  }

  /** One download after the other. Used by its loop's thread. */
  private static final class Device implements ConnectionEvents {
    private static final long RETRY_NANOS = 100_000_000;

    private final EventLoop loop;
    private final boolean drops;
    private final SplittableRandom random;
    private final LongAdder resumes;
    private long position;
    private String entityTag = "";

    Device(EventLoop loop, boolean drops, SplittableRandom random, LongAdder resumes) {
      this.loop = loop;
      this.drops = drops;
      this.random = random;
      this.resumes = resumes;
    }

    @Override
    public void connected(Connection connection) {
      long length = loop.content().length();
      long now = System.nanoTime();
      long dropAt = drops ? random.nextLong(Math.max(1, length / 2)) + 1 : Long.MAX_VALUE;
      if (position == 0 || position >= length) {
        position = 0;
        connection.request(new ByteSpan(0, length), true, "", now, dropAt);
      } else {
        resumes.increment();
        connection.request(
            new ByteSpan(position, length - position), false, entityTag, now, dropAt);
      }
    }

    @Override
    public void completed(Connection connection, long nanos) {
      position = 0;
      if (connection.isOpen()) {
        connected(connection);
      } else {
        connection.connect();
      }
    }

    @Override
    public void dropped(Connection connection) {
      position += connection.response().received();
      String tag = connection.response().entityTag();
      // A weak one may not be used in If-Range (RFC 9110, section 13.1.5).
      entityTag = tag.startsWith("W/") ? "" : tag;
      connection.connect();
    }

    @Override
    public void failed(Connection connection, Failure failure) {
      loop.schedule(System.nanoTime() + RETRY_NANOS, connection::connect);
    }
  }
}
