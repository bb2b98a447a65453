package io.artifactserver.benchmarks.load;

import io.artifactserver.benchmarks.load.LoadReport.Latency;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * wrk, for ranges of one length, or the whole file, over HTTP/1.1 connections that are kept.
 *
 * @param connections with one request at a time each
 * @param position of every range; {@link #ANYWHERE} for random ones
 * @param length of each range; {@link #WHOLE} for the whole file
 */
record Wrk(int connections, long position, int length) implements ToolLoad {
  static final long ANYWHERE = -1;
  static final int WHOLE = 0;

  private static final String SCRIPT = "wrk.lua";
  private static final Pattern FIGURE = Pattern.compile("(?m)^load (\\S+) (\\S+)$");

  /** A head is shorter. */
  private static final int MOST_HEAD = 2048;

  @Override
  public void findProgram() {
    Program.find("wrk", "wrk");
  }

  @Override
  public Tally.Total compareOne(
      Target target, ServerProbe probe, RoundSettings settings, Path folder) {
    try (Client client = new Client(settings, probe)) {
      return client.once(target, first(settings));
    }
  }

  /** The range that is compared: all that is asked for if there are no random ranges. */
  private Request first(RoundSettings settings) {
    if (length == WHOLE) {
      return Request.whole(settings.content());
    }
    ByteSpan.Source source =
        position == ANYWHERE ? ByteSpan.random(length) : ByteSpan.fixed(position, length);
    return Request.range(source.next(settings.random(0), settings.content().length()));
  }

  @Override
  public List<String> command(Target target, RoundSettings settings, Path folder)
      throws IOException {
    Path script = folder.resolve(SCRIPT);
    try (InputStream in = Objects.requireNonNull(Wrk.class.getResourceAsStream(SCRIPT))) {
      Files.copy(in, script);
    }
    Request first = first(settings);
    List<String> command = new ArrayList<>(List.of("wrk"));
    for (String field : target.fields()) {
      command.addAll(List.of("--header", field));
    }
    command.addAll(
        List.of(
            "--threads",
            Integer.toString(Math.min(settings.clientThreads(), connections)),
            "--connections",
            Integer.toString(connections),
            // It knows whole seconds only.
            "--duration",
            Math.max(1, settings.duration().plusMillis(500).toSeconds()) + "s",
            "--timeout",
            Math.max(1, timeout(settings).toSeconds()) + "s",
            "--script",
            script.toString(),
            target.uri().toString(),
            "--",
            Long.toString(position == ANYWHERE ? ANYWHERE : first.span().position()),
            Long.toString(first.isWhole() ? WHOLE : first.span().length()),
            Long.toString(settings.content().length()),
            Integer.toString(settings.random(0).nextInt(1 << 30))));
    return command;
  }

  /** From a request to the end of its answer: a whole file may take as long as the round. */
  private Duration timeout(RoundSettings settings) {
    return length == WHOLE ? settings.stall().plus(settings.duration()) : settings.stall();
  }

  @Override
  public Figures understand(String output, RoundSettings settings, Path folder)
      throws RequestFailedException {
    Map<String, Double> printed = new HashMap<>();
    for (Matcher line = FIGURE.matcher(output); line.find(); ) {
      printed.put(line.group(1), Double.parseDouble(line.group(2)));
    }
    if (printed.isEmpty()) {
      throw new RequestFailedException("wrk", "wrk did not run: " + output.strip());
    }
    Map<String, Long> failures = new TreeMap<>();
    for (String kind : List.of("connect", "read", "write", "status", "timeout")) {
      long count = count(printed, kind);
      if (count > 0) {
        failures.put(kind, count);
      }
    }
    // Those with another status are among them.
    long requests = count(printed, "requests") - count(printed, "status");
    long bytes = count(printed, "bytes");
    long body = first(settings).span().length();
    // A 200 with the whole file is an answer for it as well.
    long more = bytes - requests * body;
    if (more < 0 || more > requests * MOST_HEAD + connections * body) {
      failures.put("wrong length", 1L);
    }
    return new Figures(
        new Tally.Total(
            requests,
            // Few end within a round where all of the file is downloaded.
            length == WHOLE ? bytes : requests * body,
            failures,
            failures.isEmpty() ? "" : "wrk counted " + failures,
            new Latency(
                millis(printed, "mean"),
                millis(printed, "p50"),
                millis(printed, "p90"),
                millis(printed, "p95"),
                millis(printed, "p99"),
                millis(printed, "p999"),
                millis(printed, "max"))),
        millis(printed, "duration") / 1e3);
  }

  private static long count(Map<String, Double> printed, String name) {
    return printed.getOrDefault(name, 0.0).longValue();
  }

  /** A time as wrk prints it, in microseconds. */
  private static double millis(Map<String, Double> printed, String name) {
    return printed.getOrDefault(name, 0.0) / 1e3;
  }
}
