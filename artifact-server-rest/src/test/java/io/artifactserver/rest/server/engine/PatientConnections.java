package io.artifactserver.rest.server.engine;

import io.artifactserver.rest.server.guard.ConnectionProperties;
import io.artifactserver.rest.server.guard.Connections;
import io.artifactserver.rest.server.guard.UnnamedProxies;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import org.springframework.util.unit.DataSize;

/** Connections that a test ends sooner than any limit does. */
public final class PatientConnections {
  private PatientConnections() {}

  /** The caller closes them. */
  static Connections create() {
    return create(new SimpleMeterRegistry());
  }

  /**
   * The caller closes them.
   *
   * @param meters gets their figures
   */
  public static Connections create(MeterRegistry meters) {
    return new Connections(properties(Duration.ofMinutes(1)), new UnnamedProxies(_ -> {}), meters);
  }

  /**
   * @param stall for which a client may take, or send, nothing
   */
  static ConnectionProperties properties(Duration stall) {
    return new ConnectionProperties(
        1000,
        0,
        List.of(),
        Duration.ofMinutes(1),
        Duration.ofMinutes(1),
        stall,
        stall,
        DataSize.ofBytes(0),
        Duration.ofMinutes(1),
        DataSize.ofMegabytes(64));
  }
}
