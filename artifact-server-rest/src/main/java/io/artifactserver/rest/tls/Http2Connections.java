package io.artifactserver.rest.tls;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.eclipse.jetty.http2.HTTP2Session;
import org.eclipse.jetty.http2.SessionContainer;
import org.eclipse.jetty.http2.api.Session;
import org.eclipse.jetty.http2.server.AbstractHTTP2ServerConnectionFactory;
import org.eclipse.jetty.io.WindowRateControl;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.Server;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.SmartLifecycle;

/**
 * Bounds and tunes HTTP/2, and says GOAWAY when the server is to stop: requests under way are
 * answered, and clients take new ones elsewhere (RFC 9113, section 6.8). Thread-safe.
 */
public final class Http2Connections implements SmartLifecycle {
  /** Gathered before a write to the socket, in bytes: 16 frames of a single stream, not 2. */
  private static final int WRITE_THRESHOLD = 256 * 1024;

  /** What a client may send before it is read, in bytes: an upload at 100 ms and 300 Mbit/s. */
  private static final int STREAM_RECEIVE_WINDOW = 4 * 1024 * 1024;

  private static final int SESSION_RECEIVE_WINDOW = 8 * 1024 * 1024;

  private final Http2Properties properties;
  private final List<SessionContainer> sessions = new CopyOnWriteArrayList<>();
  private volatile boolean isRunning;

  public Http2Connections(Http2Properties properties) {
    this.properties = properties;
  }

  /** Takes over the HTTP/2 of every connector that the server has. */
  public void configure(Server server) {
    for (Connector connector : server.getConnectors()) {
      for (ConnectionFactory factory : connector.getConnectionFactories()) {
        if (factory instanceof AbstractHTTP2ServerConnectionFactory http2) {
          configure(http2);
        }
      }
    }
  }

  private void configure(AbstractHTTP2ServerConnectionFactory http2) {
    http2.setMaxConcurrentStreams(properties.maxStreams());
    http2.setRateControlFactory(new WindowRateControl.Factory(properties.maxControlFrames()));
    http2.setInitialStreamRecvWindow(STREAM_RECEIVE_WINDOW);
    http2.setInitialSessionRecvWindow(SESSION_RECEIVE_WINDOW);
    // Nothing here speaks WebSocket.
    http2.setConnectProtocolEnabled(false);
    http2.addEventListener(new WriteThreshold());
    sessions.addAll(http2.getBeans(SessionContainer.class));
  }

  @Override
  public void start() {
    isRunning = true;
  }

  @Override
  public void stop() {
    isRunning = false;
    for (SessionContainer container : sessions) {
      // Its future ends with the last request, for which Spring Boot waits anyway.
      var _ = container.shutdown();
    }
  }

  @Override
  public boolean isRunning() {
    return isRunning;
  }

  /** Just before the connectors stop accepting, which closes what is idle. */
  @Override
  public int getPhase() {
    return WebServerApplicationContext.GRACEFUL_SHUTDOWN_PHASE + 1;
  }

  private static final class WriteThreshold implements HTTP2Session.LifeCycleListener {
    @Override
    public void onOpen(Session session) {
      if (session instanceof HTTP2Session http2) {
        http2.setWriteThreshold(WRITE_THRESHOLD);
      }
    }
  }
}
