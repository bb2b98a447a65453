package io.artifactserver.benchmarks.planted;

import io.artifactserver.benchmarks.ResponsePlannerBenchmark;
import io.artifactserver.rest.http.RequestFields;
import io.artifactserver.rest.http.ResponsePlan;
import java.util.List;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** The planner's benchmark, of planners that have regressed. */
public final class PlantedPlanner {
  private PlantedPlanner() {}

  /** Begins anew with each range. */
  @State(Scope.Benchmark)
  public static class Quadratic extends ResponsePlannerBenchmark {
    @Override
    protected ResponsePlan plan(RequestFields asked) {
      long ranges = 1 + asked.value("Range").orElse("").chars().filter(c -> c == ',').count();
      return repeated(ranges, asked).getLast();
    }

    private List<ResponsePlan> repeated(long times, RequestFields asked) {
      return Stream.generate(() -> super.plan(asked)).limit(times).toList();
    }
  }

  /** Takes as long as two hundred, and leaves as much. */
  @State(Scope.Benchmark)
  public static class Laborious extends ResponsePlannerBenchmark {
    @Override
    protected ResponsePlan plan(RequestFields asked) {
      return Stream.generate(() -> super.plan(asked)).limit(200).toList().getLast();
    }
  }
}
