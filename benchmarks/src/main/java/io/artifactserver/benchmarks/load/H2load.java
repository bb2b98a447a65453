package io.artifactserver.benchmarks.load;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * h2load, for parallel ranges on HTTP/2 connections, with flow-control windows of 16 MiB for a
 * connection and 8 MiB for a stream. It sends the same fields with every request, so all ranges are
 * the same.
 *
 * @param streams open at any time on each connection
 * @param position of every range
 * @param length of every range
 */
record H2load(int connections, int streams, long position, int length) implements ToolLoad {
  private static final String LOG = "h2load.log";
  private static final Pattern PRINTED =
      Pattern.compile(
          "(?s)(?<failed>\\d+) failed, (?<errored>\\d+) errored, (?<timeout>\\d+) timeout"
              + ".*\\((?<body>\\d+)\\) data");

  @Override
  public void findProgram() {
    Program.find("h2load", "nghttp2-client");
  }

  private ByteSpan span(RoundSettings settings) {
    return ByteSpan.fixed(position, length).next(settings.random(0), settings.content().length());
  }

  /** By nghttp, which is in the same package and writes the body. */
  @Override
  public Tally.Total compareOne(
      Target target, ServerProbe probe, RoundSettings settings, Path folder) throws IOException {
    ByteSpan span = span(settings);
    List<String> command =
        new ArrayList<>(
            List.of(
                "nghttp",
                "--no-verify-peer",
                "--timeout=" + Math.max(1, settings.stall().toSeconds()),
                "--window-bits=23",
                "--connection-window-bits=24"));
    command.addAll(request(target, span));
    Tally tally = new Tally();
    long begun = System.nanoTime();
    Path body = folder.resolve("body");
    try (Program nghttp = Program.start("nghttp", command, Map.of(), body)) {
      nghttp.awaitEnd(settings.stall().plus(Duration.ofSeconds(10)));
    }
    if (Files.size(body) == span.length()) {
      ByteBuffer received = ByteBuffer.wrap(Files.readAllBytes(body));
      settings.content().compare(received, span, 0, target);
      tally.completed(System.nanoTime() - begun);
    } else {
      tally.failed(
          new RequestFailedException(
              "wrong length",
              "%s sent %d bytes over HTTP/2 for %s".formatted(target, Files.size(body), span)));
    }
    return tally.total();
  }

  @Override
  public List<String> command(Target target, RoundSettings settings, Path folder) {
    List<String> command =
        new ArrayList<>(
            List.of(
                "h2load",
                "--clients=" + connections,
                "--threads=" + Math.min(settings.clientThreads(), connections),
                "--max-concurrent-streams=" + streams,
                "--duration=" + settings.duration().toMillis() + "ms",
                "--connection-inactivity-timeout=" + settings.stall().toMillis() + "ms",
                "--window-bits=23",
                "--connection-window-bits=24",
                "--log-file=" + folder.resolve(LOG)));
    command.addAll(request(target, span(settings)));
    return command;
  }

  /** As both programs take it. */
  private static List<String> request(Target target, ByteSpan span) {
    List<String> request = new ArrayList<>();
    target.fields().forEach(field -> request.add("--header=" + field));
    request.add("--header=Range: bytes=%d-%d".formatted(span.position(), span.end() - 1));
    request.add(target.uri().toString());
    return request;
  }

  @Override
  public Figures understand(String output, RoundSettings settings, Path folder) throws IOException {
    Matcher printed = PRINTED.matcher(output);
    if (!printed.find()) {
      throw new RequestFailedException("h2load", "h2load did not run: " + output.strip());
    }
    Tally tally = new Tally();
    tally.received(Long.parseLong(printed.group("body")));
    // Columns: begin in microseconds, status, duration in microseconds.
    for (String line : Files.readAllLines(folder.resolve(LOG))) {
      String[] columns = line.split("\t", -1);
      if (columns[1].equals("206")) {
        tally.completed(1_000 * Long.parseLong(columns[2]));
      } else {
        fail(tally, "status " + columns[1]);
      }
    }
    for (String kind : List.of("failed", "errored", "timeout")) {
      if (!printed.group(kind).equals("0")) {
        fail(tally, kind);
      }
    }
    return new Figures(tally.total(), settings.duration().toMillis() / 1e3);
  }

  private static void fail(Tally tally, String kind) {
    tally.failed(new RequestFailedException(kind, "h2load counted: " + kind));
  }
}
