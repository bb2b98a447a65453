package io.artifactserver.benchmarks.load;

import io.artifactserver.benchmarks.load.LoadReport.Round;
import java.util.HashMap;
import java.util.Map;

/** The measured time of a round: what the server and the client had used when it began. */
final class Window {
  private final RoundSettings settings;
  private final ServerProbe probe;
  private final long anonymousBefore;
  private final long opened = System.nanoTime();
  private final ServerProbe.Cpu serverCpu;
  private final double clientCpu = ServerProbe.ownCpuSeconds();
  private final double machineCpu = ServerProbe.machineCpuSeconds();

  /**
   * Begins now.
   *
   * @param anonymousBefore the server's memory before the round's first connection
   */
  Window(RoundSettings settings, ServerProbe probe, long anonymousBefore) {
    this.settings = settings;
    this.probe = probe;
    this.anonymousBefore = anonymousBefore;
    this.serverCpu = probe.cpu();
  }

  /** Since it began. */
  double seconds() {
    return (System.nanoTime() - opened) / 1e9;
  }

  /**
   * Ends it, and looks at the server's memory: the connections should still be open.
   *
   * @param more figures of the scenario
   */
  Round close(Tally.Total total, Map<String, Double> more) {
    return close(total, seconds(), probe.anonymousBytes(), more);
  }

  /** As {@link #close(Tally.Total, Map)}, with the memory that each of so many readers took. */
  Round close(Tally.Total total, int readers, Map<String, Double> more) {
    double loaded = seconds();
    long anonymousBytes = probe.anonymousBytes();
    Map<String, Double> all = new HashMap<>(more);
    all.put(SlowReaders.MEMORY, (anonymousBytes - anonymousBefore) / 1000.0 / readers);
    return close(total, loaded, anonymousBytes, all);
  }

  /**
   * Ends it.
   *
   * @param loaded seconds in which the total was counted
   * @param anonymousBytes the server's memory while the connections were open
   */
  Round close(Tally.Total total, double loaded, long anonymousBytes, Map<String, Double> more) {
    double seconds = seconds();
    ServerProbe.Cpu now = probe.cpu();
    double client = ServerProbe.ownCpuSeconds() - clientCpu;
    double server = now.cpuSeconds() - serverCpu.cpuSeconds();
    double database = now.databaseCpuSeconds() - serverCpu.databaseCpuSeconds();
    double others = ServerProbe.machineCpuSeconds() - machineCpu - server - database - client;
    Map<String, Double> all = new HashMap<>(more);
    if (database > 0) {
      all.put("database CPU s", database);
    }
    return new Round(
        settings.round(),
        loaded,
        total.requests(),
        total.failures(),
        total.bodyBytes(),
        total.latency(),
        server,
        client,
        // Ticks are coarse, so it can come out below 0.
        Math.max(0, others / seconds / Runtime.getRuntime().availableProcessors()),
        anonymousBefore,
        anonymousBytes,
        all,
        total.firstFailure());
  }
}
