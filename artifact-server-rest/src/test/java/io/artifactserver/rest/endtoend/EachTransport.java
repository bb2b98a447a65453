package io.artifactserver.rest.endtoend;

import java.io.IOException;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;

/**
 * A suite that runs once on each transport of its {@code EnumSource}, on servers that its
 * transports share. One that does not run on all of them says why; CONTRIBUTING.md has the matrix.
 * One object runs all of them, one after the other: what is to be done once on each transport is
 * done before and after a {@code ParameterizedClassInvocation}.
 */
@ExtendWith(SharedServer.class)
@ParameterizedClass(name = "{0}")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class EachTransport {
  @Parameter Transport transport;

  Endpoint server;

  @BeforeParameterizedClassInvocation(injectArguments = false)
  final void reach(Endpoints shared) throws Exception {
    server = endpoints(shared).by(transport);
  }

  /** Returns the servers to run on; those that all share, unless a suite has its own. */
  Endpoints endpoints(Endpoints shared) {
    return shared;
  }

  /** A new connection. */
  final Wire open() throws IOException {
    return server.open();
  }
}
