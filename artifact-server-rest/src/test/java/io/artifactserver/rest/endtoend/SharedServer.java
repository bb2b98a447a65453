package io.artifactserver.rest.endtoend;

import io.artifactserver.rest.http.RequestLine;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.springframework.util.FileSystemUtils;

/**
 * One packaged server for all tests that neither stop nor configure it, with a public repository
 * {@code public}, a protected one {@code secret} and an encrypted one {@code encrypted}; each has
 * {@code table.bin}, the representation that the table of {@link RequestLine} is about. Stopped
 * when the last test has run.
 */
final class SharedServer implements ParameterResolver {
  static final byte[] TABLE = Bytes.random(RequestLine.LENGTH, 11);

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == PackagedServer.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return context
        .getRoot()
        .getStore(ExtensionContext.Namespace.create(SharedServer.class))
        .computeIfAbsent("server", key -> new Shared(), Shared.class)
        .server;
  }

  private static PackagedServer start(Path folder) {
    try {
      PackagedServer server =
          PackagedServer.start(
              folder.resolve("data"),
              PackagedServer.COMPILED_WELL,
              // Its timer uses a connection, and a test counts those that downloads use.
              "--artifact-server.encryption.check-interval=1h",
              "--artifact-server.hawkbit.tenants.DEFAULT=public",
              "--artifact-server.hawkbit.tenants.PROTECTED=secret");
      try (Operator operator = new Operator(server)) {
        operator.createRepository("public", true);
        operator.createRepository("secret", false);
        operator.createEncryptedRepository("encrypted");
        for (String repository : new String[] {"public", "secret", "encrypted"}) {
          operator.put(repository, "table.bin", TABLE, "Content-Type", "application/x-table");
        }
      }
      return server;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The server, and the folder that goes with it. */
  private static final class Shared implements AutoCloseable {
    private final Path folder = temporaryFolder();
    private final PackagedServer server = start(folder);

    private static Path temporaryFolder() {
      try {
        return Files.createTempDirectory("shared-server");
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void close() {
      server.close();
      FileSystemUtils.deleteRecursively(folder.toFile());
    }
  }
}
