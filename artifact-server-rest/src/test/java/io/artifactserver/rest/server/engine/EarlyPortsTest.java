package io.artifactserver.rest.server.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.testserver.Ports;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Optional;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Test;

class EarlyPortsTest {
  private static final byte[] REQUEST =
      "GET / HTTP/1.1\r\nHost: device\r\nConnection: close\r\n\r\n"
          .getBytes(StandardCharsets.US_ASCII);

  private final EarlyPorts ports = new EarlyPorts();
  private final int port = Ports.reserve();

  /** A client that comes before a start waits for it, and so does one that comes after a stop. */
  @Test
  void connectionsWaitForTheServer() throws Exception {
    ports.open("127.0.0.1", port);
    try (ServerSocketChannel open = Objects.requireNonNull(ports.channel(port));
        LingeringClose lingering = new LingeringClose()) {
      for (int start = 0; start < 2; start++) {
        try (Socket early = asking()) {
          Server server = server(lingering);
          server.start();
          assertThat(answer(early)).startsWith("HTTP/1.1 200 ").endsWith("here");
          server.stop();
          assertThat(open.isOpen()).isTrue();
        }
      }
    }
  }

  /** The process before this one may not have ended yet. */
  @Test
  void portThatIsTakenIsLeftToTheServer() throws Exception {
    try (ServerSocket _ = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      ports.open("127.0.0.1", port);
      assertThat(ports.channel(port)).isNull();
    }
    try (LingeringClose lingering = new LingeringClose()) {
      Server server = server(lingering);
      server.start();
      try (Socket client = asking()) {
        assertThat(answer(client)).endsWith("here");
      } finally {
        server.stop();
      }
    }
  }

  private Server server(LingeringClose lingering) {
    Server server = new Server();
    ServerConnector plain = new ServerConnector(server, 1, 1, new HttpConnectionFactory());
    plain.setHost("127.0.0.1");
    plain.setPort(port);
    server.addConnector(plain);
    PromptConnector.install(server, new Newcomers(_ -> Optional.empty()), lingering);
    PromptConnector.useEarly(server, ports);
    server.setHandler(
        new Handler.Abstract.NonBlocking() {
          @Override
          public boolean handle(Request request, Response response, Callback callback) {
            Content.Sink.write(response, true, "here", callback);
            return true;
          }
        });
    return server;
  }

  private Socket asking() throws Exception {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(30_000);
    socket.getOutputStream().write(REQUEST);
    return socket;
  }

  private static String answer(Socket socket) throws Exception {
    InputStream in = socket.getInputStream();
    return new String(in.readAllBytes(), StandardCharsets.US_ASCII);
  }
}
