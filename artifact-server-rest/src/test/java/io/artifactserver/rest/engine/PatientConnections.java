package io.artifactserver.rest.engine;

import io.artifactserver.rest.connection.ConnectionProperties;
import io.artifactserver.rest.connection.Connections;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import org.springframework.util.unit.DataSize;

/** Connections that a test ends sooner than any limit does. */
final class PatientConnections {
  private PatientConnections() {}

  /** The caller closes them. */
  static Connections create() {
    return new Connections(
        new ConnectionProperties(
            1000,
            0,
            List.of(),
            Duration.ofMinutes(1),
            Duration.ofMinutes(1),
            Duration.ofMinutes(1),
            DataSize.ofBytes(0),
            Duration.ofMinutes(1),
            DataSize.ofMegabytes(64)),
        new SimpleMeterRegistry());
  }
}
