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
record Rollout(int devices, long imageLength, Duration ramp) implements Load {
  private static final long SLOWEST = 500_000;
  private static final long FASTEST = 4_000_000;
  private static final Duration INTERVAL = Duration.ofMillis(50);
  private static final Duration SHORT_INTERVAL = Duration.ofMillis(20);
  private static final int RECEIVE_BUFFER = 128 * 1024;

  @Override
  public Round run(Target target, ServerProbe probe, RoundSettings settings) {
    LongAdder done = new LongAdder();
    LongAdder resumes = new LongAdder();
    Tally slowdown = new Tally();
    try (Client client = new Client(settings, probe)) {
      Window window = client.open();
      for (int i = 0; i < devices; i++) {
        Device device = new Device(i % 4, settings, i, done, resumes, slowdown);
        client.start(
            client
                .connection(target)
                .ofDevice(i, RECEIVE_BUFFER)
                .paced(device.bytesPerSecond, device.readsRanges() ? SHORT_INTERVAL : INTERVAL),
            device);
      }
      Duration slowest = Duration.ofSeconds(imageLength / SLOWEST + 1);
      client.await(ramp.plus(slowest.multipliedBy(2)), () -> done.sum() >= devices);
      // A factor of 1 is recorded as a millisecond.
      LoadReport.Latency factors = slowdown.total().latency();
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

  /** Goes on where it was after a failure. Used by its thread. */
  private final class Device implements Client.Device {
    private static final int DROPS = 1;
    private static final int READS_RANGES = 2;
    private static final long LONGEST_PAUSE_MILLIS = 500;

    private final int kind;
    private final SplittableRandom random;
    private final ByteSpan image;
    private final LongAdder done;
    private final LongAdder resumes;
    private final Tally slowdown;
    private final RaucRanges ranges = new RaucRanges();
    private final long bytesPerSecond;
    private long began;
    private long position;

    Device(
        int kind,
        RoundSettings settings,
        int number,
        LongAdder done,
        LongAdder resumes,
        Tally slowdown) {
      this.kind = kind;
      this.random = settings.random(number);
      this.image = ByteSpan.at(random, imageLength, settings.content().length());
      this.done = done;
      this.resumes = resumes;
      this.slowdown = slowdown;
      this.bytesPerSecond = random.nextLong(SLOWEST, FASTEST + 1);
      this.position = image.position();
    }

    boolean readsRanges() {
      return kind == READS_RANGES;
    }

    @Override
    public void run(Connection connection) throws RequestFailedException, InterruptedException {
      if (began == 0) {
        Thread.sleep(Duration.ofNanos(random.nextLong(ramp.toNanos() + 1)));
        began = System.nanoTime();
      }
      while (position < image.end()) {
        if (!connection.isOpen()) {
          connection.connect();
        }
        if (!next(connection)) {
          resumes.increment();
          Thread.sleep(random.nextLong(LONGEST_PAUSE_MILLIS));
        }
      }
      if (!readsRanges()) {
        double seconds = (System.nanoTime() - began) / 1e9;
        slowdown.completed((long) (1e6 * seconds * bytesPerSecond / image.length()));
      }
      done.increment();
    }

    /** Returns whether it did not drop the connection. */
    private boolean next(Connection connection)
        throws RequestFailedException, InterruptedException {
      long left = image.end() - position;
      long length =
          readsRanges() ? Math.min(left, ranges.next(random, Long.MAX_VALUE / 2).length()) : left;
      long dropAt = kind == DROPS ? random.nextLong(image.length()) + 1 : Long.MAX_VALUE;
      try {
        return connection.get(
            Request.range(new ByteSpan(position, length)), System.nanoTime(), dropAt);
      } finally {
        position += connection.received();
      }
    }
  }
}
