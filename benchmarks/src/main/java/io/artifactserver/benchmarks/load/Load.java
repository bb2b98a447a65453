package io.artifactserver.benchmarks.load;

import io.artifactserver.benchmarks.load.LoadReport.Round;

/** Makes the requests of a scenario. Thread-safe: it keeps nothing between rounds. */
@FunctionalInterface
interface Load {
  /**
   * Runs one round and blocks until it is over.
   *
   * @throws WrongBytesException if a body was not what it must be
   */
  Round run(Target target, ServerProbe probe, RoundSettings settings);

  /**
   * Finds the program that it needs.
   *
   * @throws UsageException that says how to install it
   */
  default void findProgram() {}
}
