package io.artifactserver.rest.endtoend;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * A proxy in front of a server, as operators run one: it ends TLS and speaks HTTP/2 in the clear to
 * the server, from the address that its client has. Java's client speaks HTTP/2 over TLS alone.
 */
final class TlsProxy implements AutoCloseable {
  private static final String NAME = "proxy";

  private static @Nullable SSLContext known;

  private final int target;
  private final SSLServerSocket listening;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  private TlsProxy(int target) throws IOException {
    this.target = target;
    this.listening =
        (SSLServerSocket)
            context()
                .getServerSocketFactory()
                .createServerSocket(0, 1000, InetAddress.getLoopbackAddress());
    threads.execute(this::accept);
  }

  /** Starts one in front of the server that listens on the port. */
  static TlsProxy before(int port) throws IOException {
    return new TlsProxy(port);
  }

  /** The address of a path at the proxy. */
  URI uri(String pathAndQuery) {
    return URI.create("https://127.0.0.1:" + listening.getLocalPort() + pathAndQuery);
  }

  /** Trusts every proxy of this process. */
  static synchronized SSLContext context() {
    SSLContext context = known;
    if (context == null) {
      try {
        Path folder = Files.createTempDirectory("tls-proxy");
        TestAuthority authority = new TestAuthority(folder, NAME);
        authority.issue(NAME, "CN=127.0.0.1", "san=ip:127.0.0.1");
        context = authority.client(NAME);
        known = context;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } catch (GeneralSecurityException | InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
    return context;
  }

  @Override
  public void close() {
    try {
      listening.close();
      for (Socket socket : open) {
        socket.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    threads.close();
  }

  private void accept() {
    try {
      while (true) {
        SSLSocket client = (SSLSocket) listening.accept();
        open.add(client);
        threads.execute(() -> relay(client));
      }
    } catch (IOException _) {
      // Closed.
    }
  }

  private void relay(SSLSocket client) {
    try (client;
        Socket server = new Socket()) {
      open.add(server);
      SSLParameters parameters = client.getSSLParameters();
      parameters.setApplicationProtocols(new String[] {"h2"});
      client.setSSLParameters(parameters);
      client.startHandshake();
      server.bind(new InetSocketAddress(client.getInetAddress(), 0));
      server.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), target));
      threads.execute(() -> {
        try (client;
            server) {
          pump(server.getInputStream(), client.getOutputStream());
        } catch (IOException _) {
          // One of the two has left, and the other is closed.
        }
      });
      pump(client.getInputStream(), server.getOutputStream());
    } catch (IOException _) {
      // One of the two has left, and the other is closed.
    }
  }

  private static void pump(InputStream from, OutputStream to) throws IOException {
    byte[] buffer = new byte[1 << 16];
    for (int length = from.read(buffer); length >= 0; length = from.read(buffer)) {
      to.write(buffer, 0, length);
      to.flush();
    }
  }
}
