package io.artifactserver.benchmarks.gate;

import io.artifactserver.benchmarks.results.Jmh;
import io.artifactserver.benchmarks.results.Results;
import java.util.regex.Pattern;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/** Measures one subject once. */
interface Bench {
  /** Measures, and waits. */
  Results measure(Term.Subject subject);

  /** By JMH, in a process of its own: two iterations to warm up and four that count, of 300 ms. */
  static Results byJmh(Term.Subject subject) {
    TimeValue iteration = TimeValue.milliseconds(300);
    ChainedOptionsBuilder options =
        Jmh.options("\\." + Pattern.quote(subject.name()) + "$")
            .forks(1)
            .warmupIterations(2)
            .warmupTime(iteration)
            .measurementIterations(4)
            .measurementTime(iteration);
    subject.knobs().forEach(options::param);
    return Jmh.run(options);
  }
}
