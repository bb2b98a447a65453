package io.artifactserver.benchmarks.results;

import java.util.List;
import org.openjdk.jmh.util.ListStatistics;

/**
 * One figure of a benchmark, with the names that JMH gives them in JSON. Immutable.
 *
 * @param score mean of the samples
 * @param scoreError half the width of the 99.9 % confidence interval; NaN of fewer than 3 samples
 * @param scoreUnit such as {@code us/op}
 * @param rawData the samples: a list for each fork, a value for each iteration
 */
public record Metric(
    double score, double scoreError, String scoreUnit, List<List<Double>> rawData) {
  private static final double CONFIDENCE = 0.999;

  public Metric {
    rawData = rawData.stream().map(List::copyOf).toList();
  }

  /** The figure of these samples. */
  static Metric of(String scoreUnit, List<List<Double>> rawData) {
    ListStatistics statistics = new ListStatistics(samples(rawData));
    return new Metric(
        statistics.getMean(), statistics.getMeanErrorAt(CONFIDENCE), scoreUnit, rawData);
  }

  /**
   * Middle of the samples: on a machine with other work to do, one bad iteration moves the mean and
   * not this.
   */
  public double median() {
    double[] samples = samples(rawData);
    return samples.length == 0 ? score : Figures.median(samples);
  }

  private static double[] samples(List<List<Double>> rawData) {
    return rawData.stream().flatMap(List::stream).mapToDouble(Double::doubleValue).toArray();
  }
}
