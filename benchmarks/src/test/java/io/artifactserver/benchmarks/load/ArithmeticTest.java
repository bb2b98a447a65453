package io.artifactserver.benchmarks.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.artifactserver.benchmarks.load.LoadReport.Goal;
import io.artifactserver.benchmarks.load.LoadReport.Latency;
import io.artifactserver.benchmarks.load.LoadReport.Ratio;
import io.artifactserver.benchmarks.load.LoadReport.Round;
import io.artifactserver.benchmarks.load.LoadReport.ScenarioResult;
import io.artifactserver.benchmarks.load.LoadReport.ServedFile;
import io.artifactserver.benchmarks.load.LoadReport.ServerDescription;
import io.artifactserver.benchmarks.load.LoadReport.ServerResult;
import io.artifactserver.benchmarks.results.Figures;
import io.artifactserver.benchmarks.results.Machine;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Histograms, medians, ratios, distributions, and what the kernel says of processes. */
class ArithmeticTest {
  @TempDir Path folder;

  @Test
  void theTallyKnowsItsPercentiles() {
    Tally tally = new Tally();
    count(tally);
    Latency latency = tally.total().latency();
    assertEquals(500.5, latency.mean(), 1);
    assertEquals(500, latency.p50(), 1);
    assertEquals(950, latency.p95(), 1);
    assertEquals(990, latency.p99(), 1);
    assertEquals(1000, latency.max(), 1);
    count(tally);
    assertEquals(2000, tally.total().requests());
    assertEquals(10_000, tally.total().bodyBytes());
    assertEquals(500, tally.total().latency().p50(), 1);
    tally.failed(new RequestFailedException("status 503", "status 503 for a range"));
    tally.failed(new RequestFailedException("status 503", "status 503 for another range"));
    assertEquals(Map.of("status 503", 2L), tally.total().failures());
    assertEquals("status 503 for a range", tally.total().firstFailure());
    tally.reset();
    assertEquals(new Tally.Total(0, 0, Map.of(), "", Latency.NONE), tally.total());
  }

  private static void count(Tally tally) {
    for (int i = 1; i <= 1000; i++) {
      tally.completed(i * 1_000_000L);
    }
    tally.received(5_000);
  }

  @Test
  void failuresOfTwoClientsAreCountedTogether() {
    Tally tally = new Tally();
    tally.failed(new RequestFailedException("stalled", "here"));
    Tally other = new Tally();
    other.failed(new RequestFailedException("stalled", "there"));
    other.failed(new RequestFailedException("connect", "there too"));
    Tally.Total both = tally.total().withFailuresOf(other.total());
    assertEquals(Map.of("stalled", 2L, "connect", 1L), both.failures());
    assertEquals("here", both.firstFailure());
    assertEquals("there", new Tally().total().withFailuresOf(other.total()).firstFailure());
  }

  @Test
  void medians() {
    assertEquals(3, Figures.median(9, 1, 3));
    assertEquals(2.5, Figures.median(4, 2, 1, 3));
    assertEquals(7, Figures.median(7));
  }

  private static Round round(int number, long requests, double cpu) {
    return round(number, requests, cpu, 1);
  }

  private static Round round(int number, long requests, double cpu, double p99) {
    return new Round(
        number,
        2,
        requests,
        Map.of(),
        1_000_000_000,
        new Latency(1, 1, 1, 1, p99, p99, p99),
        cpu,
        0.5,
        0.01,
        10_000_000,
        30_000_000,
        Map.of("extra", (double) number),
        "");
  }

  private static ServerResult result(String name, long... requests) {
    List<Round> rounds = new java.util.ArrayList<>();
    for (int i = 0; i < requests.length; i++) {
      rounds.add(round(i + 1, requests[i], 0.25));
    }
    return new ServerResult(name, rounds, PeerComparison.medians(rounds), "");
  }

  private static ServerResult withP99(String name, double p99) {
    List<Round> rounds = List.of(round(1, 1, 0.25, p99));
    return new ServerResult(name, rounds, PeerComparison.medians(rounds), "");
  }

  @Test
  void figuresOfARound() {
    Round round = round(1, 100, 0.25);
    assertEquals(50, Metric.REQUEST_RATE.of(round));
    assertEquals(500, Metric.THROUGHPUT.of(round));
    assertEquals(0.25, Metric.SERVER_CPU.of(round));
    assertEquals(0.5, Metric.CLIENT_CPU.of(round));
    assertEquals(30, Metric.MEMORY.of(round));
    assertEquals(20, Metric.MEMORY_GROWTH.of(round));
  }

  private static Scenario scenario(String name, Metric primary) {
    Load load = new RangeLoad(16, ByteSpan.random(131_072));
    return new Scenario(name, "test", primary, Scenario.Door.OPEN, true, load);
  }

  private ScenarioResult compared() {
    Scenario scenario = scenario("ranges128", Metric.REQUEST_RATE);
    return PeerComparison.compare(
        scenario,
        false,
        List.of(
            new ServerDescription("nginx a", "nginx", false, "", ""),
            new ServerDescription("nginx b", "nginx", false, "", ""),
            new ServerDescription("caddy", "caddy", false, "", ""),
            new ServerDescription(OurServer.PLAIN, "artifact-server", true, "", "")),
        List.of(
            result("nginx a", 100, 110, 300),
            result("nginx b", 200, 200, 200),
            new ServerResult("caddy", List.of(), Map.of(), "it is not well"),
            result(OurServer.PLAIN, 100, 150, 210)));
  }

  @Test
  void ratiosAreTakenWithinEachRound() {
    ScenarioResult compared = compared();
    Ratio best =
        compared.ratios().stream()
            .filter(ratio ->
                ratio.reference().equals("best nginx")
                    && ratio.metric().equals(Metric.REQUEST_RATE.key()))
            .findFirst()
            .orElseThrow();
    // The best is the one with the best median over all rounds, not another one in each.
    assertEquals(List.of(0.5, 0.75, 1.05), best.rounds());
    assertEquals(0.75, best.median());
    assertTrue(best.higherIsBetter());
    assertFalse(
        compared.ratios().stream().anyMatch(ratio -> ratio.reference().equals("caddy")),
        "what did not run is not compared with");
  }

  @Test
  void goalsSayWhetherTheyAreReached() {
    Map<String, Boolean> reached = new java.util.HashMap<>();
    compared().goals().forEach(goal -> reached.put(goal.metric(), goal.reached()));
    assertEquals(Map.of(Metric.REQUEST_RATE.key(), false, Metric.SERVER_CPU.key(), true), reached);
  }

  /** A normal client beside slow ones: 20 ms, or four times what it has beside nginx. */
  @ParameterizedTest
  @CsvSource({"19, 1, '', 19, true", "21, 7, best nginx, 3, true", "30, 5, '', 30, false"})
  void aGoalMayBeReachedInTwoWays(
      double ours, double nginx, String reference, double measured, boolean isReached) {
    List<ServerDescription> servers =
        List.of(
            new ServerDescription("nginx a", "nginx", false, "", ""),
            new ServerDescription("nginx b", "nginx", false, "", ""),
            new ServerDescription(OurServer.PLAIN, "artifact-server", true, "", ""));
    List<Goal> goals =
        PeerComparison.compare(
                scenario("slow", Metric.P99),
                false,
                servers,
                List.of(
                    withP99("nginx a", nginx),
                    withP99("nginx b", nginx),
                    withP99(OurServer.PLAIN, ours)))
            .goals();
    assertEquals(
        List.of(measured),
        goals.stream()
            .filter(goal ->
                goal.metric().equals(Metric.P99.key())
                    && goal.reference().equals(reference)
                    && goal.reached() == isReached)
            .map(Goal::measured)
            .toList());
  }

  @Test
  void raucRangesAreAsRaucAsksForThem() {
    RaucRanges ranges = new RaucRanges();
    SplittableRandom random = new SplittableRandom(42);
    long fileLength = 800_000_000;
    long[] lengths = new long[100_001];
    for (int i = 0; i < lengths.length; i++) {
      ByteSpan span = ranges.next(random, fileLength);
      assertEquals(0, span.position() % 4096);
      assertEquals(0, span.length() % 4096);
      assertTrue(span.length() >= 4096 && span.length() <= 131_072);
      assertTrue(span.position() >= 0 && span.end() <= fileLength);
      lengths[i] = span.length();
    }
    Arrays.sort(lengths);
    assertEquals(20_480, lengths[lengths.length / 2]);
    assertEquals(4096, lengths[0]);
    assertEquals(131_072, lengths[lengths.length - 1]);
  }

  @Test
  void spansStayWithinAShortFile() {
    SplittableRandom random = new SplittableRandom(1);
    assertEquals(new ByteSpan(0, 100), ByteSpan.random(4096).next(random, 100));
    assertEquals(new ByteSpan(976, 1024), ByteSpan.fixed(600_000_000, 1024).next(random, 2000));
    assertEquals(
        new ByteSpan(600_000_000, 1024),
        ByteSpan.fixed(600_000_000, 1024).next(random, 800_000_000));
  }

  @Test
  void sameSeedSameRequests() {
    RoundSettings settings =
        new RoundSettings(
            Content.Stamped.of(10, 1),
            3,
            9,
            java.time.Duration.ZERO,
            java.time.Duration.ZERO,
            1,
            0,
            java.util.Optional.empty());
    assertEquals(settings.random(5).nextLong(), settings.random(5).nextLong());
    assertFalse(settings.random(5).nextLong() == settings.random(6).nextLong());
  }

  @Test
  void aProcessMayBeCalledAnything() {
    ServerProbe.Stat stat =
        ServerProbe.Stat.parse(
            "4711 (a) b (c) S 17 4711 4711 0 -1 4194560 1 2 3 4 250 50 9 9 20 0 1 0 5 6 7");
    assertEquals(new ServerProbe.Stat(4711, "a) b (c", 17, 300, 18), stat);
  }

  @Test
  void aServerIsAllItsProcesses() throws IOException {
    process(100, "java", 1, 1000, 512);
    process(101, "postgres", 100, 300, 100_000);
    process(102, "postgres", 101, 100, 100_000);
    process(103, "helper", 100, 50, 8);
    process(200, "stranger", 1, 9999, 9999);
    ServerProbe probe = new ServerProbe(folder, 100);
    assertEquals(new ServerProbe.Cpu(10.5, 4), probe.cpu());
    assertEquals(520 * 1024, probe.anonymousBytes());
    assertEquals(new ServerProbe.Cpu(0, 0), new ServerProbe(folder, 0).cpu());
    assertEquals(new ServerProbe.Cpu(0, 0), new ServerProbe(folder, 999).cpu());
  }

  private void process(long pid, String name, long parent, long ticks, long anonymousKilobytes)
      throws IOException {
    Path process = Files.createDirectory(folder.resolve(Long.toString(pid)));
    Files.writeString(
        process.resolve("stat"),
        "%d (%s) S %d 0 0 0 0 0 0 0 0 0 %d 0 0 0\n".formatted(pid, name, parent, ticks));
    Files.writeString(
        process.resolve("smaps_rollup"),
        """
        00010000-7ffd8c3a1000 ---p 00000000 00:00 0 [rollup]
        Rss:             99999 kB
        Pss:             88888 kB
        Pss_Anon:      %7d kB
        Pss_File:        77777 kB
        Anonymous:       66666 kB
        """
            .formatted(anonymousKilobytes));
  }

  @Test
  void theMachineIsBusyWhenItIsNotIdle() {
    assertEquals(1.71, ServerProbe.busySeconds("cpu  100 1 60 9999 8888 2 3 5 77 0"), 0.0001);
    assertTrue(ServerProbe.machineCpuSeconds() > 0);
  }

  @Test
  void thisProcessIsKnown() {
    ServerProbe probe = ServerProbe.of(ProcessHandle.current().pid());
    assertTrue(probe.cpu().cpuSeconds() > 0);
    assertTrue(probe.anonymousBytes() > 1_000_000);
    assertTrue(ServerProbe.ownCpuSeconds() > 0);
  }

  @Test
  void responseHeadsAreUnderstood() {
    byte[] head =
        """
        HTTP/1.1 206 Partial Content\r
        Server: x\r
        CONTENT-RANGE:   bytes 5-9/100\r
        content-length: 5\r
        ETag: "a-b"\r
        Connection: Close\r
        \r
        """
            .getBytes(StandardCharsets.US_ASCII);
    int length = ResponseHead.end(ByteBuffer.wrap(head), head.length);
    assertEquals(head.length, length);
    assertEquals(-1, ResponseHead.end(ByteBuffer.wrap(head), head.length - 1));
    ResponseHead response = ResponseHead.of(ByteBuffer.wrap(head), length);
    assertTrue(response.isUnderstood());
    assertEquals("206", response.status());
    assertEquals("5", response.field("content-length:"));
    assertTrue(response.isRange(new ByteSpan(5, 5), 100));
    assertFalse(response.isRange(new ByteSpan(5, 4), 100));
    assertFalse(response.isRange(new ByteSpan(5, 5), 101));
    assertEquals("\"a-b\"", response.field("etag:"));
    assertTrue(response.closes());
    assertFalse(
        new ResponseHead("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n").isUnderstood(),
        "bodies have a length here");
    assertFalse(new ResponseHead("SSH-2.0-OpenSSH_9.2\r\n\r\n").isUnderstood());
    ResponseHead kept = new ResponseHead("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n");
    assertEquals("", kept.field("etag:"));
    assertFalse(kept.closes());
    assertTrue(new ResponseHead("HTTP/1.0 200 OK\r\n\r\n").closes());
  }

  @Test
  void theReportCanBeReadBack() throws IOException {
    LoadReport report =
        new LoadReport(
            LoadReport.SCHEMA,
            "2026-01-01T00:00:00Z",
            "abc",
            "./artifact-server bench load",
            new Machine(2, "a processor", 1, "Linux", "Debian", "25"),
            new ServedFile(800_000_000, 1),
            3,
            2,
            1,
            false,
            List.of(new ServerDescription("nginx a", "nginx", false, "1", "conf")),
            List.of(compared()));
    ReportFiles.write(report, folder);
    assertEquals(report, ReportFiles.read(folder.resolve(ReportFiles.JSON)));
    String markdown = Files.readString(folder.resolve("load.md"));
    assertTrue(markdown.contains("| best nginx | 0.75 | 0.5 0.75 1.05 |"), markdown);
    assertTrue(markdown.contains("caddy **failed**: it is not well"), markdown);
    assertTrue(markdown.contains("**Not reached**: requests/s"), markdown);
  }
}
