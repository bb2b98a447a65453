package io.artifactserver.benchmarks.load;

import io.artifactserver.benchmarks.load.LoadReport.ServerDescription;
import java.util.Map;
import java.util.Optional;

/**
 * A running server that has the file. Used by the thread that runs the rounds.
 *
 * @param doors where the file is
 * @param probe of its processes
 * @param end stops it, if the harness started it
 */
record Server(
    ServerDescription description,
    Map<Scenario.Door, Target> doors,
    ServerProbe probe,
    Runnable end)
    implements AutoCloseable {
  Server {
    doors = Map.copyOf(doors);
  }

  /** Where the file is; empty if this server has no such door. */
  Optional<Target> target(Scenario.Door door) {
    return Optional.ofNullable(doors.get(door));
  }

  @Override
  public void close() {
    end.run();
  }
}
