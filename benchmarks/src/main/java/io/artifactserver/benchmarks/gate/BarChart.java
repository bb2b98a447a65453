package io.artifactserver.benchmarks.gate;

import io.artifactserver.benchmarks.results.Result;
import java.awt.Color;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.DoubleBinaryOperator;
import org.jspecify.annotations.Nullable;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.BitmapEncoder.BitmapFormat;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.style.Styler.LegendPosition;

/** The results of one benchmark class as bars: a group for each choice of knobs. */
final class BarChart {
  private static final int WIDTH = 860;
  private static final int HEIGHT = 380;

  /** Between the longest and the shortest bar, above which only a logarithmic axis shows both. */
  private static final double LINEAR_SPREAD = 20;

  private BarChart() {}

  /**
   * The chart as an image element that needs nothing from elsewhere; empty if this machine cannot
   * draw, for want of fonts.
   *
   * @param results of one class
   */
  static Optional<String> image(List<Result> results) {
    try {
      byte[] png = BitmapEncoder.getBitmapBytes(draw(results), BitmapFormat.PNG);
      return Optional.of(
          "<img width=\"%d\" height=\"%d\" alt=\"%s\" src=\"data:image/png;base64,%s\">"
              .formatted(
                  WIDTH,
                  HEIGHT,
                  results.getFirst().subject(),
                  Base64.getEncoder().encodeToString(png)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (LinkageError | InternalError e) {
      // What a JDK throws without libfontconfig or without a font.
      System.err.println("No charts, because this machine cannot draw text: " + e);
      return Optional.empty();
    }
  }

  private static CategoryChart draw(List<Result> results) {
    System.setProperty("java.awt.headless", "true");
    Set<String> groups = new LinkedHashSet<>();
    Map<String, Map<String, Double>> series = new LinkedHashMap<>();
    for (Result result : results) {
      String group = result.params().isEmpty() ? "-" : result.knobs();
      groups.add(group);
      series
          .computeIfAbsent(result.method(), method -> new LinkedHashMap<>())
          .put(group, result.primaryMetric().median());
    }
    CategoryChart chart =
        new CategoryChartBuilder()
            .width(WIDTH)
            .height(HEIGHT)
            .title(results.getFirst().subject())
            .yAxisTitle(results.getFirst().primaryMetric().scoreUnit())
            .build();
    chart
        .getStyler()
        .setLegendPosition(LegendPosition.OutsideE)
        .setChartBackgroundColor(Color.WHITE)
        .setPlotBorderVisible(false);
    chart.getStyler().setXAxisLabelRotation(groups.size() > 3 ? 20 : 0);
    double longest = extreme(results, 0, Math::max);
    double shortest = extreme(results, longest, Math::min);
    if (shortest > 0 && longest / shortest > LINEAR_SPREAD) {
      chart.getStyler().setYAxisLogarithmic(true).setYAxisLogarithmicDecadeOnly(true);
      chart.getStyler().setYAxisMin(Math.pow(10, Math.floor(Math.log10(shortest)) - 1));
    } else {
      chart.getStyler().setYAxisMin(0.0);
    }
    List<String> categories = new ArrayList<>(groups);
    series.forEach((method, values) -> {
      List<@Nullable Double> bars = new ArrayList<>();
      categories.forEach(group -> bars.add(values.get(group)));
      chart.addSeries(method, categories, bars);
    });
    return chart;
  }

  private static double extreme(List<Result> results, double start, DoubleBinaryOperator choice) {
    double extreme = start;
    for (Result result : results) {
      extreme = choice.applyAsDouble(extreme, result.primaryMetric().median());
    }
    return extreme;
  }
}
