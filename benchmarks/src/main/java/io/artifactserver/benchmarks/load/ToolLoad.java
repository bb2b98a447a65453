package io.artifactserver.benchmarks.load;

import io.artifactserver.benchmarks.load.LoadReport.Round;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * A load that a program makes which others wrote. It compares no bytes, so one answer is compared
 * before each round.
 */
interface ToolLoad extends Load {
  /** How much longer than the round it may take, beside the time in which nothing may happen. */
  Duration GRACE = Duration.ofSeconds(10);

  /**
   * Asks once for what the load will ask for, and compares every byte.
   *
   * @param folder for files of this round
   * @return one request, or one failure
   * @throws WrongBytesException if a byte is another one
   */
  Tally.Total compareOne(Target target, ServerProbe probe, RoundSettings settings, Path folder)
      throws IOException;

  /** The program and its arguments. */
  List<String> command(Target target, RoundSettings settings, Path folder) throws IOException;

  /**
   * Understands what the program printed and wrote.
   *
   * @throws RequestFailedException if it did not run
   */
  Figures understand(String output, RoundSettings settings, Path folder) throws IOException;

  /**
   * Its figures.
   *
   * @param seconds that it took
   */
  record Figures(Tally.Total total, double seconds) {}

  @Override
  default Round run(Target target, ServerProbe probe, RoundSettings settings) {
    try {
      Path folder = Files.createTempDirectory("load");
      try {
        return run(target, probe, settings, folder);
      } finally {
        Site.delete(folder);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot run a program that makes load", e);
    }
  }

  private Round run(Target target, ServerProbe probe, RoundSettings settings, Path folder)
      throws IOException {
    long anonymousBefore = probe.anonymousBytes();
    Tally.Total first = compareOne(target, probe, settings, folder);
    Window window = new Window(settings, probe, anonymousBefore);
    if (first.requests() == 0) {
      return window.close(first, Map.of());
    }
    List<String> command = command(target, settings, folder);
    String name = command.getFirst();
    try (Program program = Program.start(name, command, Map.of(), folder.resolve("output"))) {
      // While its connections are open.
      program.awaitEnd(settings.duration().multipliedBy(9).dividedBy(10));
      long anonymousBytes = probe.anonymousBytes();
      if (!program.awaitEnd(settings.duration().plus(settings.stall()).plus(GRACE))) {
        throw new RequestFailedException("stalled", name + " did not end");
      }
      Figures figures = understand(program.log(), settings, folder);
      return window.close(figures.total(), figures.seconds(), anonymousBytes, Map.of());
    } catch (RequestFailedException e) {
      Tally failed = new Tally();
      failed.failed(e);
      return window.close(failed.total(), Map.of());
    }
  }
}
