package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;

/** Servers that take few connections, and have little patience with them. */
@ParameterizedClass(name = "{0}")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ConnectionFixture {
  static final int MAX = 40;

  static final int MAX_PER_ADDRESS = 8;

  /** Three addresses can take all. */
  private static final int MAX_STRICT = 3 * MAX_PER_ADDRESS;

  static final int LENGTH = 40_000_000;
  static final String SMALL =
      "GET /artifacts/public/large.bin HTTP/1.1\r\nHost: device\r\nRange: bytes=0-3\r\n\r\n";

  @TempDir static Path folder;

  @Parameter Transport transport;

  Endpoint patient;
  Endpoint strict;

  @BeforeParameterizedClassInvocation
  void start() throws Exception {
    List<String> arguments = new ArrayList<>(patience());
    arguments.add("--artifact-server.connections.max=" + MAX);
    arguments.add("--artifact-server.connections.stall-timeout=3s");
    patient = start("patient", arguments.toArray(String[]::new));
    strict =
        start(
            "strict",
            "--artifact-server.connections.max=" + MAX_STRICT,
            "--artifact-server.connections.max-per-address=" + MAX_PER_ADDRESS,
            "--artifact-server.connections.min-rate=100KB",
            "--artifact-server.connections.rate-window=4s");
  }

  @AfterParameterizedClassInvocation
  void stop() {
    patient.close();
    strict.close();
  }

  /**
   * Returns further settings of the patient server. A handshake of TLS has to be over within the
   * time for a request, and a busy machine may take a second for it.
   */
  abstract List<String> patience();

  Endpoint start(String name, String... arguments) throws Exception {
    Endpoint server = Endpoint.start(transport, folder.resolve(transport + name), arguments);
    try (Operator operator = server.operator()) {
      operator.createRepository("public", true);
      byte[] content = Bytes.random(LENGTH, 5);
      assertThat(operator.put("public", "large.bin", content).statusCode()).isEqualTo(201);
    }
    return server;
  }
}
