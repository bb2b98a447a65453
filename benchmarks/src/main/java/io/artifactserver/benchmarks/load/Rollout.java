package io.artifactserver.benchmarks.load;

import io.artifactserver.benchmarks.load.LoadReport.Round;
import java.time.Duration;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.LongAdder;

/**
 * A fleet updates: devices start spread over the ramp, each with a link of its own speed, and each
 * downloads one image, a span of the file. Some drop the connection on the way and resume, some
 * read it in ranges as RAUC does, over one connection and so slower than their links. How many
 * times longer than their links needed the others took is in {@code slowdown}.
 *
 * @param devices in all
 * @param imageLength in bytes
 * @param ramp within which they start; the measured time begins with it and ends when all are done,
 *     or after twice the time that the slowest link needs
 */
record Rollout(int devices, long imageLength, Duration ramp) implements Scenario {
  private static final long SLOWEST = 500_000;
  private static final long FASTEST = 4_000_000;
  private static final long INTERVAL_NANOS = 50_000_000;
  private static final long SHORT_INTERVAL_NANOS = 20_000_000;
  private static final int RECEIVE_BUFFER = 128 * 1024;

  @Override
  public String name() {
    return "rollout";
  }

  @Override
  public String description() {
    return "%,d devices start within %d s, each downloads %d MB at 0.5 to 4 MB/s; one in four drops the connection and resumes, one in four reads ranges as RAUC does"
        .formatted(devices, ramp.toSeconds(), imageLength / 1_000_000);
  }

  @Override
  public Metric primary() {
    return Metric.SERVER_CPU;
  }

  @Override
  public boolean warmsUp() {
    return false;
  }

  @Override
  public Round run(Target target, ServerProbe probe, RoundSettings settings) {
    LongAdder done = new LongAdder();
    LongAdder resumes = new LongAdder();
    Tally slowdown = new Tally();
    try (Client client = Client.start(settings, probe, 1)) {
      EventLoop loop = client.loop(0);
      Window window = client.open();
      long start = System.nanoTime();
      for (int i = 0; i < devices; i++) {
        SplittableRandom random = settings.random(i);
        Device device = new Device(loop, random, i % 4, imageLength, done, resumes, slowdown);
        Connection connection =
            new Connection(
                loop, target, device, Sockets.device(target, i, RECEIVE_BUFFER), settings.tls());
        connection.pace(device.bytesPerSecond, device.interval());
        connection.response().wantEntityTag();
        long due = start + random.nextLong(ramp.toNanos() + 1);
        loop.run(() -> loop.schedule(due, () -> device.begin(connection)));
      }
      Duration slowest = Duration.ofSeconds(imageLength / SLOWEST + 1);
      client.await(ramp.plus(slowest.multipliedBy(2)), () -> done.sum() >= devices);
      // A factor of 1 is recorded as a millisecond.
      LoadReport.Latency factors = loop.call(slowdown::latency);
      return window.close(
          client.total(),
          Map.of(
              "devices",
              (double) devices,
              "devices done",
              (double) done.sum(),
              "resumes",
              (double) resumes.sum(),
              "slowdown p50",
              factors.p50(),
              "slowdown p99",
              factors.p99()));
    }
  }

  /** Used by its loop's thread. */
  private static final class Device implements ConnectionEvents {
    private static final long RETRY_NANOS = 500_000_000;
    private static final int DROPS = 1;
    private static final int READS_RANGES = 2;

    private final EventLoop loop;
    private final SplittableRandom random;
    private final int kind;
    private final ByteSpan image;
    private final LongAdder done;
    private final LongAdder resumes;
    private final Tally slowdown;
    private final RaucRanges ranges = new RaucRanges();
    private final long bytesPerSecond;
    private long began;
    private long position;

    Device(
        EventLoop loop,
        SplittableRandom random,
        int kind,
        long imageLength,
        LongAdder done,
        LongAdder resumes,
        Tally slowdown) {
      this.loop = loop;
      this.random = random;
      this.kind = kind;
      this.image = ByteSpan.at(random, imageLength, loop.content().length());
      this.done = done;
      this.resumes = resumes;
      this.slowdown = slowdown;
      this.bytesPerSecond = random.nextLong(SLOWEST, FASTEST + 1);
      this.position = image.position();
    }

    long interval() {
      return kind == READS_RANGES ? SHORT_INTERVAL_NANOS : INTERVAL_NANOS;
    }

    void begin(Connection connection) {
      began = System.nanoTime();
      connection.connect();
    }

    @Override
    public void connected(Connection connection) {
      next(connection);
    }

    private void next(Connection connection) {
      long left = image.end() - position;
      long dropAt = kind == DROPS ? random.nextLong(image.length()) + 1 : Long.MAX_VALUE;
      long length =
          kind == READS_RANGES
              ? Math.min(left, ranges.next(random, Long.MAX_VALUE / 2).length())
              : left;
      connection.request(new ByteSpan(position, length), false, "", System.nanoTime(), dropAt);
    }

    @Override
    public void completed(Connection connection, long nanos) {
      position += connection.response().received();
      if (position < image.end()) {
        if (connection.isOpen()) {
          next(connection);
        } else {
          connection.connect();
        }
        return;
      }
      connection.abort();
      if (kind != READS_RANGES) {
        double seconds = (System.nanoTime() - began) / 1e9;
        slowdown.completed((long) (1e6 * seconds * bytesPerSecond / image.length()));
      }
      done.increment();
    }

    @Override
    public void dropped(Connection connection) {
      position += connection.response().received();
      resumes.increment();
      loop.schedule(System.nanoTime() + random.nextLong(RETRY_NANOS), connection::connect);
    }

    @Override
    public void failed(Connection connection, Failure failure) {
      position += connection.response().received();
      loop.schedule(System.nanoTime() + RETRY_NANOS, connection::connect);
    }
  }
}
