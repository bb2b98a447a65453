package io.artifactserver.benchmarks.load;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** All scenarios, in the order in which reports have them. */
final class Scenarios {
  static final String RANGES_128 = "ranges128";

  static final String HTTP2_RANGES_128 = "h2-ranges128";

  private static final int MEBIBYTE = 1024 * 1024;
  private static final int KIBIBYTE = 1024;

  private Scenarios() {}

  /**
   * Makes them.
   *
   * @param scale what their sizes depend on
   * @param chunks what {@link ChunkLoad} asks for; it is left out without
   */
  static List<Scenario> all(Scale scale, Optional<ChunkStore> chunks) {
    List<Scenario> all = new ArrayList<>(files(scale));
    chunks.ifPresent(store -> all.add(new ChunkLoad(store)));
    return all;
  }

  private static List<Scenario> files(Scale scale) {
    return List.of(
        new RangeLoad(
            "range80",
            "80 connections, each asks for the 1 MiB at 600 MB again and again",
            Metric.MEAN,
            Scenario.Door.OPEN,
            80,
            ByteSpan.fixed(600_000_000, MEBIBYTE)),
        new RangeLoad(
            RANGES_128,
            "16 connections, random ranges of 128 KiB",
            Metric.REQUEST_RATE,
            Scenario.Door.OPEN,
            16,
            ByteSpan.random(128 * KIBIBYTE)),
        new RangeLoad(
            "rauc",
            "%d devices with 6 connections each, random ranges of 4 to 128 KiB, median 20 KiB, as RAUC streams"
                .formatted(scale.raucDevices()),
            Metric.REQUEST_RATE,
            Scenario.Door.OPEN,
            6 * scale.raucDevices(),
            new RaucRanges()),
        new RangeLoad(
            "small",
            "64 connections, random ranges of 4 KiB, with a token where the server knows tokens",
            Metric.REQUEST_RATE,
            Scenario.Door.TOKEN,
            64,
            ByteSpan.random(4 * KIBIBYTE)),
        new FullDownloads("full", "8 connections download the whole file", 8, false),
        new FullDownloads(
            "resume",
            "8 devices download the whole file, drop the connection at random points and resume with If-Range",
            8,
            true),
        new Http2Streams(
            HTTP2_RANGES_128,
            "16 HTTP/2 connections, random ranges of 128 KiB, one at a time on each",
            Metric.REQUEST_RATE,
            16,
            1,
            128 * KIBIBYTE),
        Http2Streams.onOneConnection(50, 10_000_000),
        Http2Streams.onOneConnection(100, 100_000_000),
        new FreshConnections(
            FreshConnections.ONE_MEBIBYTE,
            "80 devices, each asks for the 1 MiB at 600 MB on a new connection again and again",
            Metric.REQUEST_RATE,
            80,
            ByteSpan.fixed(600_000_000, MEBIBYTE),
            false),
        new FreshConnections(
            FreshConnections.FULL,
            "8 devices, each asks for a byte on a new connection again and again; through TLS without a session",
            Metric.REQUEST_CPU,
            8,
            ByteSpan.random(1),
            false),
        new FreshConnections(
            FreshConnections.RESUMED,
            "the same, but a device resumes its TLS session",
            Metric.REQUEST_CPU,
            8,
            ByteSpan.random(1),
            true),
        new SlowReaders(scale.slowReaders(), 50_000),
        new PacedReaders(scale.slowReaders()),
        new IdleConnections(scale.idleConnections()),
        new Rollout(scale.rolloutDevices(), 20_000_000, scale.rolloutRamp()));
  }

  /** How large the larger ones are. */
  record Scale(
      int raucDevices,
      int slowReaders,
      int idleConnections,
      int rolloutDevices,
      Duration rolloutRamp) {}
}
