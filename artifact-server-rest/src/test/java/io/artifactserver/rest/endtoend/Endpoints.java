package io.artifactserver.rest.endtoend;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Two packaged servers that differ in their transports alone: one in clear text and one with TLS.
 * Each starts when it is first asked for. Used by one thread.
 */
final class Endpoints implements AutoCloseable {
  private final Path folder;
  private final Preparation preparation;
  private final Function<Transport, List<String>> arguments;
  private final Map<Boolean, Endpoint> started = new HashMap<>();

  /** Prepares a server before a test reaches it. */
  interface Preparation {
    void prepare(Endpoint endpoint) throws Exception;
  }

  /**
   * @param folder for what the servers keep
   * @param arguments of both
   */
  Endpoints(Path folder, Preparation preparation, String... arguments) {
    this(folder, preparation, _ -> List.of(arguments));
  }

  /** The same; each server has arguments of its own, for what two servers cannot share. */
  Endpoints(Path folder, Preparation preparation, Function<Transport, List<String>> arguments) {
    this.folder = folder;
    this.preparation = preparation;
    this.arguments = arguments;
  }

  /** Returns the server of a transport, as clients of that transport reach it. */
  Endpoint by(Transport transport) throws Exception {
    Endpoint known = started.get(transport.isSecured());
    if (known == null) {
      known =
          Endpoint.start(
              transport,
              folder.resolve(transport.isSecured() ? "tls" : "clear"),
              arguments.apply(transport).toArray(String[]::new));
      started.put(transport.isSecured(), known);
      preparation.prepare(known);
    }
    return known.by(transport);
  }

  @Override
  public void close() {
    started.values().forEach(Endpoint::close);
  }
}
