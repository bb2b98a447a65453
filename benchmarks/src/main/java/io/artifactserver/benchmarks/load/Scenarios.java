package io.artifactserver.benchmarks.load;

import static io.artifactserver.benchmarks.load.Wrk.ANYWHERE;

import io.artifactserver.benchmarks.load.Scenario.Door;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** All scenarios, in the order in which reports have them. */
final class Scenarios {
  private static final int KIBIBYTE = 1024;
  private static final int MEBIBYTE = 1024 * KIBIBYTE;
  private static final int FAR = 600_000_000;

  /** A second: 100,000 devices a minute. */
  private static final double POLLS = 100_000 / 60.0;

  private final List<Scenario> all = new ArrayList<>();

  private Scenarios() {}

  /** How large the larger ones are. */
  record Scale(
      int raucDevices,
      int slowReaders,
      int idleConnections,
      int rolloutDevices,
      Duration rolloutRamp) {}

  /**
   * Makes them.
   *
   * @param scale what their sizes depend on
   * @param tls whether those take part that would be another's without TLS
   * @param chunks what {@link ChunkLoad} asks for; it is left out without
   */
  static List<Scenario> all(Scale scale, boolean tls, Optional<ChunkStore> chunks) {
    Scenarios made = new Scenarios();
    made.ranges(scale);
    made.http2();
    made.freshConnections(tls);
    made.fleets(scale);
    chunks.ifPresent(store ->
        made.add(
            "chunks",
            "64 connections, random chunks of a casync store of %,d; latency of 128 KiB ranges, 200 a second, on 4 more connections"
                .formatted(store.chunks().size()),
            Metric.REQUEST_RATE,
            new ChunkLoad(store)));
    return made.all;
  }

  private void ranges(Scale scale) {
    add(
        "range80",
        "80 connections, each asks for the 1 MiB at 600 MB again and again",
        Metric.MEAN,
        new Wrk(80, FAR, MEBIBYTE));
    add(
        "ranges128",
        "16 connections, random ranges of 128 KiB",
        Metric.REQUEST_RATE,
        new Wrk(16, ANYWHERE, 128 * KIBIBYTE));
    add(
        "rauc",
        "%d devices with 6 connections each, random ranges of 4 to 128 KiB, median 20 KiB, as RAUC streams"
            .formatted(scale.raucDevices()),
        Metric.REQUEST_RATE,
        new RangeLoad(6 * scale.raucDevices(), new RaucRanges()));
    add(
        "small",
        "64 connections, random ranges of 4 KiB, with a token where the server knows tokens",
        Metric.REQUEST_RATE,
        Door.TOKEN,
        true,
        new Wrk(64, ANYWHERE, 4 * KIBIBYTE));
    add(
        "full",
        "8 connections download the whole file",
        Metric.THROUGHPUT,
        new Wrk(8, 0, Wrk.WHOLE));
    add(
        "resume",
        "8 devices download the whole file, drop the connection at random points and resume with If-Range",
        Metric.THROUGHPUT,
        new ResumedDownloads(8));
  }

  private void http2() {
    add(
        "h2-ranges128",
        "16 HTTP/2 connections, each asks for the 128 KiB at 600 MB again and again",
        Metric.REQUEST_RATE,
        Door.HTTP2,
        true,
        new H2load(16, 1, FAR, 128 * KIBIBYTE));
    add(
        "h2-50",
        "the 10 MB at 600 MB, 50 times at once on one HTTP/2 connection, again and again",
        Metric.THROUGHPUT,
        Door.HTTP2,
        true,
        new H2load(1, 50, FAR, 10_000_000));
    add(
        "h2-100",
        "the 100 MB at 600 MB, 100 times at once on one HTTP/2 connection, again and again",
        Metric.THROUGHPUT,
        Door.HTTP2,
        true,
        new H2load(1, 100, FAR, 100_000_000));
  }

  private void freshConnections(boolean tls) {
    add(
        "fresh-1m",
        "80 devices, each asks for the 1 MiB at 600 MB on a new connection again and again",
        Metric.REQUEST_RATE,
        new FreshConnections(80, ByteSpan.fixed(FAR, MEBIBYTE), false));
    add(
        "fresh-full",
        "8 devices, each asks for a byte on a new connection again and again; through TLS without a session",
        Metric.REQUEST_CPU,
        new FreshConnections(8, ByteSpan.random(1), false));
    if (tls) {
      add(
          "fresh-resumed",
          "the same, but a device resumes its TLS session",
          Metric.REQUEST_CPU,
          new FreshConnections(8, ByteSpan.random(1), true));
    }
  }

  private void fleets(Scale scale) {
    add(
        "slow",
        "%,d readers at 50 KB/s each; latency of 128 KiB ranges, 100 a second, on 4 more connections"
            .formatted(scale.slowReaders()),
        Metric.P99,
        Door.OPEN,
        false,
        new SlowReaders(scale.slowReaders(), 50_000));
    add(
        "paced",
        "%,d readers share a repository's limit of %d MB/s; latency of ranges of another repository beside them"
            .formatted(scale.slowReaders(), PacedReaders.LIMIT / 1_000_000),
        Metric.P99,
        Door.PACED,
        false,
        new PacedReaders(scale.slowReaders()));
    add(
        "idle",
        "%,d keep-alive connections, each with a request of 4 KiB now and then"
            .formatted(scale.idleConnections()),
        Metric.MEMORY_GROWTH,
        Door.OPEN,
        false,
        new IdleConnections(scale.idleConnections()));
    add(
        "polls",
        "%,.0f polls a second, of RAUC and SWUpdate, one in twenty of an older release; beside 16 connections with random ranges of 128 KiB"
            .formatted(POLLS),
        Metric.P99,
        Door.CHANNEL,
        true,
        new Polls(POLLS, 16));
    add(
        "rollout",
        "%,d devices start within %d s, each downloads 20 MB at 0.5 to 4 MB/s; one in four drops the connection and resumes, one in four reads ranges as RAUC does"
            .formatted(scale.rolloutDevices(), scale.rolloutRamp().toSeconds()),
        Metric.SERVER_CPU,
        Door.OPEN,
        false,
        new Rollout(scale.rolloutDevices(), 20_000_000, scale.rolloutRamp()));
  }

  private void add(String name, String description, Metric primary, Load load) {
    add(name, description, primary, Door.OPEN, true, load);
  }

  private void add(
      String name, String description, Metric primary, Door door, boolean warmsUp, Load load) {
    all.add(new Scenario(name, description, primary, door, warmsUp, load));
  }
}
