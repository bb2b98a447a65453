package io.artifactserver.benchmarks.load;

import java.net.InetAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.component.LifeCycle;

/**
 * Serves bytes in memory over HTTP/1.1 and over HTTP/2 in the clear, as programs that make load ask
 * for them, and lies from a certain request on.
 */
final class RangeServer extends Handler.Abstract.NonBlocking implements AutoCloseable {
  private static final Pattern RANGE = Pattern.compile("bytes=(\\d+)-(\\d+)");

  /** Its fault. */
  enum Lie {
    NONE,
    WRONG_BYTE,
    /** 200 and everything. */
    IGNORES_RANGE,
    /** Status 503. */
    ERROR
  }

  private final byte[] content;
  private final Lie lie;
  private final int honestRequests;
  private final AtomicInteger requests = new AtomicInteger();
  private final Server server = new Server();
  private final ServerConnector connector;

  /**
   * @param honestRequests answered as they should be before it begins to lie
   */
  RangeServer(byte[] content, Lie lie, int honestRequests) {
    this.content = content.clone();
    this.lie = lie;
    this.honestRequests = honestRequests;
    HttpConfiguration configuration = new HttpConfiguration();
    connector =
        new ServerConnector(
            server,
            new HttpConnectionFactory(configuration),
            new HTTP2CServerConnectionFactory(configuration));
    connector.setHost(InetAddress.getLoopbackAddress().getHostAddress());
    server.addConnector(connector);
    server.setHandler(this);
    LifeCycle.start(server);
  }

  Target target() {
    return new Target(
        URI.create("http://127.0.0.1:" + connector.getLocalPort() + "/file"), "Bearer a-token");
  }

  int requests() {
    return requests.get();
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    boolean isHonest = requests.getAndIncrement() < honestRequests;
    Lie now = isHonest ? Lie.NONE : lie;
    Matcher range = RANGE.matcher(String.valueOf(request.getHeaders().get(HttpHeader.RANGE)));
    if (now == Lie.ERROR || !"Bearer a-token".equals(request.getHeaders().get("Authorization"))) {
      response.setStatus(503);
      response.write(true, ByteBuffer.allocate(0), callback);
      return true;
    }
    int first = 0;
    int last = content.length - 1;
    if (range.matches() && now != Lie.IGNORES_RANGE) {
      first = Integer.parseInt(range.group(1));
      last = Integer.parseInt(range.group(2));
      response.setStatus(206);
      response
          .getHeaders()
          .put(HttpHeader.CONTENT_RANGE, "bytes %d-%d/%d".formatted(first, last, content.length));
    }
    ByteBuffer body = ByteBuffer.allocate(last - first + 1).put(content, first, last - first + 1);
    if (now == Lie.WRONG_BYTE) {
      body.put(body.capacity() / 2, (byte) ~body.get(body.capacity() / 2));
    }
    response.getHeaders().put(HttpHeader.CONTENT_LENGTH, body.capacity());
    response.write(true, body.flip(), callback);
    return true;
  }

  @Override
  public void close() {
    LifeCycle.stop(server);
  }
}
