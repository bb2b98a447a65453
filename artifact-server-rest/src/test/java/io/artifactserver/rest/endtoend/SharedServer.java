package io.artifactserver.rest.endtoend;

import io.artifactserver.rest.http.RequestLine;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.springframework.util.FileSystemUtils;

/**
 * Packaged servers for all tests that neither stop nor configure them: {@link Endpoints}, or as a
 * {@link PackagedServer} the one in clear text. Each has a public repository {@code public}, a
 * protected one {@code secret} and an encrypted one {@code encrypted}; each of those has {@code
 * table.bin}, the representation that the table of {@link RequestLine} is about. They stop when the
 * last test of this process has run.
 */
final class SharedServer implements ParameterResolver {
  static final byte[] TABLE = Bytes.random(RequestLine.LENGTH, 11);

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return type == PackagedServer.class || type == Endpoints.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    Endpoints endpoints =
        context
            .getStore(
                ExtensionContext.StoreScope.LAUNCHER_SESSION,
                ExtensionContext.Namespace.create(SharedServer.class))
            .computeIfAbsent("endpoints", key -> new Shared(), Shared.class)
            .endpoints;
    if (parameter.getParameter().getType() == Endpoints.class) {
      return endpoints;
    }
    try {
      return endpoints.by(Transport.HTTP1).server();
    } catch (Exception e) {
      throw new ParameterResolutionException("The server did not start", e);
    }
  }

  static void prepare(Endpoint endpoint) throws Exception {
    try (Operator operator = endpoint.operator()) {
      operator.createRepository("public", true);
      operator.createRepository("secret", false);
      operator.createEncryptedRepository("encrypted");
      for (String repository : new String[] {"public", "secret", "encrypted"}) {
        operator.put(repository, "table.bin", TABLE, "Content-Type", "application/x-table");
      }
    }
  }

  /** The servers, and the folder that goes with them. */
  private static final class Shared implements AutoCloseable {
    private final Path folder = temporaryFolder();
    private final Endpoints endpoints =
        new Endpoints(
            folder,
            SharedServer::prepare,
            PackagedServer.CIPHERS_COMPILED_WELL,
            // Its timer uses a connection, and a test counts those that downloads use.
            "--artifact-server.encryption.check-interval=1h",
            // Fleets poll as fast as they can, and other devices look at Retry-After.
            "--artifact-server.poll.max-rate=100000",
            "--artifact-server.hawkbit.tenants.DEFAULT=public",
            "--artifact-server.hawkbit.tenants.PROTECTED=secret");

    private static Path temporaryFolder() {
      try {
        return Files.createTempDirectory("shared-server");
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void close() {
      endpoints.close();
      FileSystemUtils.deleteRecursively(folder.toFile());
    }
  }
}
