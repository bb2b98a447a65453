package io.artifactserver.rest.endtoend;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The resources that a server holds when it has nothing to do.
 *
 * @param heap after a collection, in bytes
 * @param direct memory of buffers outside the heap, in bytes
 * @param threads of the process
 * @param descriptors that are open
 */
record Footprint(long heap, long direct, long threads, long descriptors) {
  private static final long MAX_LEFT = 20_000_000;
  private static final long MAX_DESCRIPTORS_LEFT = 50;

  /** Jetty's 200 and some 100 of ours and the JVM's. Jetty lets go of one a minute. */
  static final long MAX_THREADS = 350;

  /** Commands of jcmd; one process of it for all of them. */
  private static final String COLLECT_TWICE =
      Path.of("src", "test", "resources", "collect-twice.jcmd").toAbsolutePath().toString();

  private static final Pattern VALUE = Pattern.compile("\"value\":\\s*([0-9.E+]+)");

  static Footprint of(PackagedServer server, Operator operator)
      throws IOException, InterruptedException {
    collect(server.pid());
    return new Footprint(
        value(operator, "jvm.memory.used?tag=area:heap"),
        value(operator, "jvm.buffer.memory.used?tag=id:direct"),
        count(Path.of("/proc/%d/task".formatted(server.pid()))),
        count(Path.of("/proc/%d/fd".formatted(server.pid()))));
  }

  /** Whether it is no more than the other, but for what comes and goes with any request. */
  boolean isLike(Footprint earlier) {
    return heap - earlier.heap < MAX_LEFT
        && direct - earlier.direct < MAX_LEFT
        && threads <= MAX_THREADS
        && descriptors - earlier.descriptors < MAX_DESCRIPTORS_LEFT;
  }

  @Override
  public String toString() {
    return "heap %.1f MB, direct %.1f MB, %d threads, %d descriptors"
        .formatted(heap / 1e6, direct / 1e6, threads, descriptors);
  }

  /** Twice: what is finalized after the first collection is there until the second. */
  private static void collect(long pid) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                // It runs for a third of a second: C2 would only slow it down.
                "-J-XX:TieredStopAtLevel=1",
                "-J-XX:+UseSerialGC",
                String.valueOf(pid),
                "-f",
                COLLECT_TWICE)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    if (!process.waitFor(1, TimeUnit.MINUTES) || process.exitValue() != 0) {
      throw new IllegalStateException("The server could not be asked to collect its garbage");
    }
  }

  private static long value(Operator operator, String metric)
      throws IOException, InterruptedException {
    String body = operator.get("/actuator/metrics/" + metric).body();
    Matcher value = VALUE.matcher(body);
    if (!value.find()) {
      throw new IllegalStateException(body);
    }
    return (long) Double.parseDouble(value.group(1));
  }

  private static long count(Path folder) throws IOException {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.count();
    }
  }
}
