package io.artifactserver.benchmarks.load;

import io.artifactserver.benchmarks.load.LoadReport.Round;
import java.util.HashMap;
import java.util.Map;

/** The measured time of a round: what the server and the client had used when it began. */
final class Window {
  private final RoundSettings settings;
  private final ServerProbe probe;
  private final long anonymousBefore;
  private final long opened;
  private final ServerProbe.Cpu serverCpu;
  private final double clientCpu;

  private Window(RoundSettings settings, ServerProbe probe, long anonymousBefore) {
    this.settings = settings;
    this.probe = probe;
    this.anonymousBefore = anonymousBefore;
    this.opened = System.nanoTime();
    this.serverCpu = probe.cpu();
    this.clientCpu = ServerProbe.self().cpu().cpuSeconds();
  }

  /**
   * Begins now.
   *
   * @param anonymousBefore the server's memory before the round's first connection
   */
  static Window open(RoundSettings settings, ServerProbe probe, long anonymousBefore) {
    return new Window(settings, probe, anonymousBefore);
  }

  /** Since it began. */
  double seconds() {
    return (System.nanoTime() - opened) / 1e9;
  }

  /**
   * Ends it. The connections should still be open, for the server's memory is read.
   *
   * @param total what was counted meanwhile
   * @param more figures of the scenario
   */
  Round close(Tally total, Map<String, Double> more) {
    double seconds = seconds();
    ServerProbe.Cpu serverCpuNow = probe.cpu();
    double clientCpuNow = ServerProbe.self().cpu().cpuSeconds();
    Map<String, Double> all = new HashMap<>(more);
    double database = serverCpuNow.databaseCpuSeconds() - serverCpu.databaseCpuSeconds();
    if (database > 0) {
      all.put("database CPU s", database);
    }
    return new Round(
        settings.round(),
        seconds,
        total.requests(),
        total.failures(),
        total.bodyBytes(),
        total.latency(),
        serverCpuNow.cpuSeconds() - serverCpu.cpuSeconds(),
        clientCpuNow - clientCpu,
        anonymousBefore,
        probe.anonymousBytes(),
        all,
        total.firstFailure());
  }
}
