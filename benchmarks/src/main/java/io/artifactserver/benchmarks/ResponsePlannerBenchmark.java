package io.artifactserver.benchmarks;

import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.rest.delivery.answer.JettyRequestFields;
import io.artifactserver.rest.http.EntityTag;
import io.artifactserver.rest.http.Representation;
import io.artifactserver.rest.http.RequestFields;
import io.artifactserver.rest.http.ResponsePlan;
import io.artifactserver.rest.http.ResponsePlanner;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.eclipse.jetty.http.HttpFields;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The cost of deciding on an answer: a single range is to stay below two microseconds and one KiB
 * of garbage (-prof gc).
 */
// JMH calls the set-up before anything else; a constructor cannot do its work.
@SuppressWarnings("NullAway.Init")
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(3)
@Warmup(iterations = 4, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
public class ResponsePlannerBenchmark {
  private static final EntityTag TAG =
      EntityTag.of(new Digest(DigestAlgorithm.SHA_256, "0123456789abcdef".repeat(4)));
  private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");
  private static final Representation REPRESENTATION =
      new Representation(800_000_000, TAG, Instant.parse("2026-02-28T23:59:59Z"));

  /** A device's request. */
  public enum Question {
    /** The whole. */
    PLAIN,
    /** A streaming installer's range. */
    RANGE,
    /** A resumed download. */
    RANGE_IF_TAG,
    /** A resumed download of apt. */
    RANGE_IF_DATE,
    /** Anything new? */
    NOT_MODIFIED,
    /** The chunks of an update. */
    CHUNKS_167
  }

  @Param Question question = Question.PLAIN;

  private HttpFields jettyFields;

  @Setup
  public void ask() {
    HttpFields.Mutable asked =
        HttpFields.build()
            .add("Host", "updates.example.com")
            .add("User-Agent", "installer/1.11")
            .add("Accept", "*/*")
            .add("Authorization", "Bearer as_0123456789abcdef_" + "0".repeat(64))
            .add("Connection", "keep-alive");
    switch (question) {
      case PLAIN -> {}
      case RANGE -> asked.add("Range", "bytes=412345678-412365677");
      case RANGE_IF_TAG -> asked.add("Range", "bytes=412345678-").add("If-Range", TAG.toString());
      case RANGE_IF_DATE ->
          asked.add("Range", "bytes=412345678-").add("If-Range", "Sat, 28 Feb 2026 23:59:59 GMT");
      case NOT_MODIFIED -> asked.add("If-None-Match", TAG.toString());
      case CHUNKS_167 ->
          asked.add(
              "Range",
              IntStream.range(0, 167)
                  .mapToObj(i -> (4_000_000 + i * 90_000) + "-" + (4_030_000 + i * 90_000))
                  .collect(Collectors.joining(",", "bytes=", "")));
    }
    jettyFields = asked.asImmutable();
  }

  /** The decision, from fields as Jetty has them. */
  @Benchmark
  public ResponsePlan plan() {
    return plan(new JettyRequestFields(jettyFields));
  }

  /** The planner under test. */
  protected ResponsePlan plan(RequestFields asked) {
    return ResponsePlanner.plan("GET", asked, REPRESENTATION, NOW);
  }
}
