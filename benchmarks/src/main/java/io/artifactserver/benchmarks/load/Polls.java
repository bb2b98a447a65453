package io.artifactserver.benchmarks.load;

import io.artifactserver.benchmarks.load.LoadReport.Round;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * A fleet polls a channel at a rate, half of it as RAUC and half of it as SWUpdate, while other
 * connections read ranges as fast as they can. Of twenty devices one has an older release: it is
 * sent to the new one, and RAUC reads 4 to 6 ranges of it. The latency is that of polls, and of
 * those ranges, on threads of their own.
 *
 * @param rate polls a second of all devices
 * @param readers connections with ranges of 128 KiB
 */
record Polls(double rate, int readers) implements Load {
  /** The release that the channel points to. */
  static final String RELEASE = "1.0";

  /** The bundle in it. */
  static final String BUNDLE = "a bundle";

  /** Ranges of 128 KiB beside the polls. */
  static final String RANGES = "ranges/s beside";

  private static final int CONNECTIONS = 32;
  private static final int RANGE_LENGTH = 128 * 1024;
  private static final int ONE_IN = 20;

  @Override
  public Round run(Target target, ServerProbe probe, RoundSettings settings) {
    try (Client fleet = new Client(settings, probe);
        Client others = new Client(settings, probe)) {
      for (int i = 0; i < readers; i++) {
        SplittableRandom random = settings.random(CONNECTIONS + i);
        others.start(
            others.connection(target),
            new RangeLoad.Asking(
                () ->
                    Request.range(
                        ByteSpan.random(RANGE_LENGTH).next(random, settings.content().length())),
                0,
                System.nanoTime()));
      }
      long interval = (long) (CONNECTIONS * 1e9 / rate);
      for (int i = 0; i < CONNECTIONS; i++) {
        Devices devices = new Devices(settings, settings.random(i));
        long begin = System.nanoTime() + interval * i / CONNECTIONS;
        fleet.startBeside(
            fleet.connection(target), connection -> devices.poll(connection, begin, interval));
      }
      fleet.sleep(Duration.ofNanos(interval));
      Window ofOthers = others.open();
      Window window = fleet.open();
      fleet.sleep(settings.duration());
      Round beside = ofOthers.close(others.total(), Map.of());
      return window.close(fleet.total(), Map.of(RANGES, beside.requests() / beside.seconds()));
    }
  }

  /** Devices that poll one after the other on one connection. */
  private record Devices(RoundSettings settings, SplittableRandom random) {
    private static final String RAUC = "/poll/rauc/load/stable/board";
    private static final String SWUPDATE = "/poll/swupdate/load/stable/board?id=load&release=";
    private static final int FEWEST_RANGES = 4;
    private static final int MOST_RANGES = 6;

    void poll(Connection connection, long begin, long interval)
        throws RequestFailedException, InterruptedException {
      connection.connect();
      for (long due = begin; true; due += interval) {
        long early = due - System.nanoTime();
        if (early > 0) {
          Thread.sleep(Duration.ofNanos(early));
        }
        poll(connection, early > 0 ? System.nanoTime() : due);
      }
    }

    private void poll(Connection connection, long due)
        throws RequestFailedException, InterruptedException {
      boolean isOld = random.nextInt(ONE_IN) == 0;
      if (random.nextBoolean()) {
        connection.get(
            isOld
                ? Request.poll(SWUPDATE + "0.9", "", "302")
                : Request.poll(SWUPDATE + RELEASE, "", "404"),
            due);
        return;
      }
      String known = isOld ? "" : "If-None-Match: " + tag() + "\r\n";
      connection.get(
          Request.poll(RAUC, "Range: bytes=0-3\r\n" + known, isOld ? "302" : "304"), due);
      if (isOld) {
        for (int i = random.nextInt(FEWEST_RANGES, MOST_RANGES + 1); i > 0; i--) {
          ByteSpan span = new RaucRanges().next(random, settings.content().length());
          connection.get(Request.range(span), System.nanoTime());
        }
      }
    }

    private static String tag() {
      try {
        byte[] bytes = BUNDLE.getBytes(StandardCharsets.US_ASCII);
        return '"'
            + HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes))
            + '"';
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException("Every Java platform has SHA-256", e);
      }
    }
  }
}
