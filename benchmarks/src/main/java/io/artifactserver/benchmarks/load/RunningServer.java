package io.artifactserver.benchmarks.load;

import io.artifactserver.benchmarks.load.LoadReport.ServerDescription;
import java.util.Optional;

/**
 * A server that somebody else started.
 *
 * @param description by which it appears in the report
 * @param target of the file there
 * @param probe of its processes, if they were named
 */
record RunningServer(ServerDescription description, Target target, ServerProbe probe)
    implements Server {
  @Override
  public Optional<Target> target(Scenario.Door door) {
    return door == Scenario.Door.PACED ? Optional.empty() : Optional.of(target);
  }

  @Override
  public void close() {
    // The program that started it stops it.
  }
}
