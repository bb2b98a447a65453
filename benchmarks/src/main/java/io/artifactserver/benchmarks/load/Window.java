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
  private final double machineCpu;

  private Window(RoundSettings settings, ServerProbe probe, long anonymousBefore) {
    this.settings = settings;
    this.probe = probe;
    this.anonymousBefore = anonymousBefore;
    this.opened = System.nanoTime();
    this.serverCpu = probe.cpu();
    this.clientCpu = ServerProbe.ownCpuSeconds();
    this.machineCpu = ServerProbe.machineCpuSeconds();
  }

  /**
   * Begins now.
   *
   * @param anonymousBefore the server's memory before the round's first connection
   */
  static Window open(RoundSettings settings, ServerProbe probe, long anonymousBefore) {
    return new Window(settings, probe, anonymousBefore);
  }

  /** The part of the machine that others had; ticks are coarse, so it can come out below 0. */
  private static double disturbance(double seconds, double elapsed) {
    return Math.max(0, seconds / elapsed / Runtime.getRuntime().availableProcessors());
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
    double client = ServerProbe.ownCpuSeconds() - clientCpu;
    double machine = ServerProbe.machineCpuSeconds() - machineCpu;
    Map<String, Double> all = new HashMap<>(more);
    double server = serverCpuNow.cpuSeconds() - serverCpu.cpuSeconds();
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
        server,
        client,
        disturbance(machine - server - database - client, seconds),
        anonymousBefore,
        probe.anonymousBytes(),
        all,
        total.firstFailure());
  }
}
