package io.artifactserver.rest.server.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.rest.endtoend.TestAuthority;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSocket;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.QuietException;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GatheringSslConnectionTest {
  @TempDir private Path folder;

  private final Server server = new Server();
  private final CountDownLatch hasLeft = new CountDownLatch(1);
  private final CompletableFuture<Optional<Throwable>> read = new CompletableFuture<>();
  private final CompletableFuture<Optional<Throwable>> written = new CompletableFuture<>();

  @AfterEach
  void stop() throws Exception {
    server.stop();
  }

  /** Jetty logs a line for each failure that is not quiet: a client could write the log full. */
  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
  void aClientThatLeavesIsNothingToLog(String protocol) throws Exception {
    TestAuthority authority = new TestAuthority(folder, "authority");
    authority.issue("server", "CN=localhost", "san=dns:localhost,ip:127.0.0.1");
    ServerConnector connector = start();
    try (SSLSocket client =
        (SSLSocket)
            authority
                .client(null)
                .getSocketFactory()
                .createSocket("127.0.0.1", connector.getLocalPort())) {
      client.setEnabledProtocols(new String[] {protocol});
      client
          .getOutputStream()
          .write(
              "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{"
                  .getBytes(StandardCharsets.US_ASCII));
    }
    hasLeft.countDown();
    for (CompletableFuture<Optional<Throwable>> each : List.of(read, written)) {
      assertThat(each.get(120, TimeUnit.SECONDS))
          .hasValueSatisfying(failure -> assertThat(failure).isInstanceOf(QuietException.class));
    }
  }

  private ServerConnector start() throws Exception {
    SslContextFactory.Server certificates = new SslContextFactory.Server();
    certificates.setKeyStorePath(folder.resolve("authority.p12").toString());
    certificates.setKeyStorePassword(TestAuthority.PASSWORD);
    certificates.setCertAlias("server");
    ServerConnector connector =
        new ServerConnector(
            server,
            1,
            1,
            new GatheringSslConnection.Factory(
                certificates, "http/1.1", new Newcomers(_ -> Optional.empty())),
            new HttpConnectionFactory());
    connector.setHost("127.0.0.1");
    server.addConnector(connector);
    server.setHandler(
        new Handler.Abstract() {
          @Override
          public boolean handle(Request request, Response response, Callback callback) {
            Thread.ofPlatform().start(() -> answer(request, response, callback));
            return true;
          }
        });
    server.start();
    return connector;
  }

  /** As whoever reads a body that breaks off, and says so. */
  private void answer(Request request, Response response, Callback callback) {
    try (InputStream body = Content.Source.asInputStream(request)) {
      hasLeft.await();
      body.readAllBytes();
      read.complete(Optional.empty());
    } catch (IOException | InterruptedException e) {
      read.complete(Optional.of(e));
    }
    response.write(
        true,
        ByteBuffer.allocate(100_000),
        Callback.from(
            () -> {
              written.complete(Optional.empty());
              callback.succeeded();
            },
            failure -> {
              written.complete(Optional.of(failure));
              callback.failed(failure);
            }));
  }
}
