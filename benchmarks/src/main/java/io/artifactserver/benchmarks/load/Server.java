package io.artifactserver.benchmarks.load;

import io.artifactserver.benchmarks.load.LoadReport.ServerDescription;
import java.util.Optional;

/** A running server that has the file. Used by the thread that runs the rounds. */
interface Server extends AutoCloseable {
  ServerDescription description();

  /** Where the file is; empty if this server has no such door. */
  Optional<Target> target(Scenario.Door door);

  ServerProbe probe();

  /** Stops it, if the harness started it. */
  @Override
  void close();
}
