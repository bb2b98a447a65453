package io.artifactserver.rest.server.engine;

import io.artifactserver.rest.server.guard.ConnectionProperties;
import io.artifactserver.rest.server.guard.Connections;
import io.artifactserver.rest.server.guard.Holdings;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http2.FlowControlStrategy;
import org.eclipse.jetty.http2.HTTP2Connection;
import org.eclipse.jetty.http2.HTTP2Session;
import org.eclipse.jetty.http2.HTTP2Stream;
import org.eclipse.jetty.http2.SessionContainer;
import org.eclipse.jetty.http2.api.Session;
import org.eclipse.jetty.http2.server.AbstractHTTP2ServerConnectionFactory;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.AbstractConnector;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Server;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.SmartLifecycle;

/**
 * Bounds and tunes HTTP/2, and says GOAWAY when the server is to stop: requests under way are
 * answered, and clients take new ones elsewhere (RFC 9113, section 6.8). Thread-safe.
 */
public final class Http2Connections implements SmartLifecycle {
  /** Gathered before a write to the socket, in bytes: 16 frames of a single stream, not 2. */
  private static final int WRITE_THRESHOLD = 256 * 1024;

  private final Http2Properties properties;
  private final Connections connections;
  private final ConnectionProperties patience;
  private final List<SessionContainer> sessions = new CopyOnWriteArrayList<>();
  private volatile boolean isRunning;

  /**
   * @param patience tells when a stream on which nothing moves is reset
   */
  public Http2Connections(
      Http2Properties properties, Connections connections, ConnectionProperties patience) {
    this.properties = properties;
    this.connections = connections;
    this.patience = patience;
  }

  /**
   * The request's body is wanted: from now on its client may send without a pause, and over HTTP/2
   * more than a little ahead of what is read.
   */
  public static void acceptBody(Request request) {
    EndPoint endPoint = request.getConnectionMetaData().getConnection().getEndPoint();
    if (Connections.unwrapped(endPoint) instanceof FairEndPoint fair) {
      fair.trust();
    }
    HTTP2Stream stream = stream(request);
    if (stream != null
        && stream.getSession().getFlowControlStrategy() instanceof Http2Streams streams) {
      streams.accept(stream.getSession(), stream);
    }
  }

  /**
   * Ends a request that reads its body, or waits for it. Any thread may call this. Over HTTP/1.1
   * the reader finds the end of the connection: to fail the request would use the parser, which is
   * the reader's.
   *
   * @param failure that the reader gets over HTTP/2
   */
  public static void endBody(Request request, Throwable failure) {
    Connection connection = request.getConnectionMetaData().getConnection();
    if (!(connection instanceof HTTP2Connection)
        && Connections.unwrapped(connection.getEndPoint()) instanceof FairEndPoint fair) {
      fair.endInput();
    } else {
      request.fail(failure);
    }
  }

  /**
   * The server holds the answer back, for however long: until {@link #release} its stream is not
   * idle. (Jetty asks a listener once only, and cancels the stream when its time is over again.)
   * Does nothing on other connections than those of HTTP/2.
   */
  public static void hold(Request request) {
    HTTP2Stream stream = stream(request);
    if (stream != null) {
      stream.setIdleTimeout(0);
    }
  }

  /** It is the client's turn again. May be called without {@link #hold}. */
  public static void release(Request request) {
    HTTP2Stream stream = stream(request);
    if (stream != null
        && stream.getSession().getFlowControlStrategy() instanceof Http2Streams streams) {
      stream.setIdleTimeout(streams.idleTimeout(stream));
    }
  }

  /** Returns null on other connections, and when the stream has ended. */
  private static @Nullable HTTP2Stream stream(Request request) {
    return request.getConnectionMetaData().getConnection() instanceof HTTP2Connection connection
        ? connection.getSession().getStream(Integer.parseInt(request.getId()))
        : null;
  }

  /** Takes over the HTTP/2 of every connector that the server has. */
  public void configure(Server server) {
    for (Connector connector : server.getConnectors()) {
      for (ConnectionFactory factory : List.copyOf(connector.getConnectionFactories())) {
        if (factory instanceof HTTP2CServerConnectionFactory clear
            && !properties.cleartext()
            && connector instanceof AbstractConnector open) {
          open.removeConnectionFactory(clear.getProtocol());
        } else if (factory instanceof AbstractHTTP2ServerConnectionFactory http2) {
          configure(http2);
        }
      }
    }
  }

  /** Before anything else sees the request, so that every write of its answer is covered. */
  private static Request patient(Request request, HttpFields.Mutable fields) {
    if (request.getConnectionMetaData().getConnection() instanceof HTTP2Connection connection
        && connection.getSession().getFlowControlStrategy() instanceof Http2Streams streams) {
      HTTP2Stream stream = stream(request);
      if (stream != null) {
        request.addHttpStreamWrapper(each -> streams.patient(each, stream));
      }
      release(request);
      return Http2Request.of(request, stream != null && stream.isRemotelyClosed());
    }
    return request;
  }

  private void configure(AbstractHTTP2ServerConnectionFactory http2) {
    http2.setMaxConcurrentStreams(properties.maxStreams());
    http2.setRateControlFactory(Http2Streams.rateControl(properties.maxControlFrames()));
    // The least that there is: who may send more is decided request by request.
    http2.setInitialStreamRecvWindow(FlowControlStrategy.DEFAULT_WINDOW_SIZE);
    http2.setInitialSessionRecvWindow(FlowControlStrategy.DEFAULT_WINDOW_SIZE);
    http2.setFlowControlStrategyFactory(() -> new Http2Streams(patience.maxStall()));
    http2.setStreamIdleTimeout(patience.stallTimeout().toMillis());
    // Nothing here speaks WebSocket.
    http2.setConnectProtocolEnabled(false);
    http2.getHttpConfiguration().addCustomizer(Http2Connections::patient);
    http2.addEventListener(new Sessions());
    sessions.addAll(http2.getBeans(SessionContainer.class));
  }

  @Override
  public void start() {
    isRunning = true;
  }

  @Override
  public void stop() {
    isRunning = false;
    // Not the containers: they would refuse connections that come from now on.
    for (SessionContainer container : sessions) {
      for (Session session : container.getSessions()) {
        // Its future ends with the last request, for which Spring Boot waits anyway.
        var _ = session.shutdown();
      }
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

  private final class Sessions implements HTTP2Session.LifeCycleListener {
    @Override
    public void onOpen(Session session) {
      if (session instanceof HTTP2Session http2) {
        http2.setWriteThreshold(WRITE_THRESHOLD);
        if (http2.getFlowControlStrategy() instanceof Http2Streams streams) {
          Holdings.Holding holding = connections.holding(http2.getEndPoint());
          streams.open(holding, failedWrites(http2, holding));
          http2.addEventListener(streams);
        }
      }
    }

    private FailedWrites failedWrites(HTTP2Session session, Holdings.Holding holding) {
      EndPoint socket = Connections.unwrapped(session.getEndPoint());
      FailedWrites failedWrites =
          new FailedWrites(
              session,
              holding::add,
              properties.maxStreams(),
              () ->
                  socket.close(
                      new TimeoutException("A client reset a stream that it did not read")));
      session
          .getEndPoint()
          .getConnection()
          .addEventListener(
              new Connection.Listener() {
                @Override
                public void onClosed(Connection connection) {
                  failedWrites.close();
                }
              });
      return failedWrites;
    }

    @Override
    public void onClose(Session session) {
      if (session instanceof HTTP2Session http2
          && http2.getFlowControlStrategy() instanceof Http2Streams streams) {
        streams.close();
      }
    }
  }
}
