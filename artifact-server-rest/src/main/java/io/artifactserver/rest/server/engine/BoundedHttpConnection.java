package io.artifactserver.rest.server.engine;

import io.artifactserver.rest.server.guard.Connections;
import io.artifactserver.rest.server.guard.Holdings;
import io.artifactserver.rest.server.guard.RequestProgress;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.ReentrantLock;
import org.eclipse.jetty.http.HttpCompliance;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpHeaderValue;
import org.eclipse.jetty.http.HttpParser;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.http.MetaData;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * A connection of HTTP/1.1 that bounds the fields of a request, and accounts for a head of which
 * only a part has come. It asks the parser once for each time that bytes come. For a request that
 * comes whole nothing changes.
 */
final class BoundedHttpConnection extends HttpConnection implements RequestProgress {
  /** Devices send some ten. */
  static final int MAX_FIELDS = 256;

  /** A head in the making, in bytes, before its first byte is kept. */
  private static final int HEAD_LENGTH = 4 * 1024;

  /** Bytes that a field takes beside its text. */
  private static final int HELD_PER_FIELD = 128;

  /** Bytes that a byte of a head takes while it is put together, at most. */
  private static final int HELD_PER_BYTE = 3;

  private final Connections connections;
  private final Newcomers newcomers;

  /** Held by the thread that reads. */
  private final ReentrantLock reading = new ReentrantLock();

  /** Whether its last bytes were more than a part of a head. */
  private boolean isKnown;

  /** Whether the parser has refused what came. */
  private volatile boolean hasRefused;

  private Holdings.@Nullable Holding holding;
  private long bytesBefore;

  /** Fields of the head that comes, so far. */
  private int fields;

  /** The rest of what was read, while the parser has it; null in between. */
  private @Nullable ByteBuffer parsing;

  private BoundedHttpConnection(
      HttpConfiguration configuration,
      Connector connector,
      EndPoint endPoint,
      Connections connections,
      Newcomers newcomers) {
    super(configuration, connector, endPoint);
    this.connections = connections;
    this.newcomers = newcomers;
  }

  @Override
  protected HttpParser newHttpParser(HttpCompliance compliance) {
    HttpParser plain = super.newHttpParser(compliance);
    HttpParser parser =
        new EndingParser((HttpParser.RequestHandler) plain.getHandler(), compliance);
    parser.setHeaderCacheSize(plain.getHeaderCacheSize());
    parser.setHeaderCacheCaseSensitive(plain.isHeaderCacheCaseSensitive());
    return parser;
  }

  @Override
  public void onFillable() {
    if (isKnown) {
      fill();
    } else {
      newcomers.run(getEndPoint(), getBytesIn() - bytesBefore, this::fill);
    }
  }

  /**
   * Jetty goes on to read after an answer. The answer to a refused request comes from another
   * thread than the one that read the request, and which may be reading still: nothing more is read
   * then.
   */
  @Override
  public void run() {
    if (hasRefused) {
      getEndPoint().close();
    } else {
      super.run();
    }
  }

  /**
   * When a connection is closed while a head comes, Jetty has another thread read, though the one
   * that has noticed it reads on. They would use one buffer, and might both give it back.
   */
  private void fill() {
    reading.lock();
    try {
      read();
    } finally {
      reading.unlock();
    }
  }

  @SuppressWarnings("ReferenceEquality") // Whether it is this one still.
  private void read() {
    super.onFillable();
    if (getEndPoint().getConnection() != this) {
      // It speaks HTTP/2 now.
      return;
    }
    HttpParser parser = getParser();
    isKnown = parser.isStart() || !parser.inHeaderState();
    if (isKnown) {
      bytesBefore = getBytesIn();
      hold(0);
    } else {
      hold(HEAD_LENGTH + HELD_PER_FIELD * fields + HELD_PER_BYTE * (getBytesIn() - bytesBefore));
    }
  }

  /**
   * It speaks HTTP/2 from here on. Jetty copies what has come already to a buffer outside the heap
   * that only a collection frees: clients that come and go used up that memory, and each time Java
   * stopped for a whole collection.
   */
  @Override
  public @Nullable ByteBuffer onUpgradeFrom() {
    ByteBuffer rest = parsing;
    return rest == null
        ? super.onUpgradeFrom()
        : ByteBuffer.allocate(rest.remaining()).put(rest).flip();
  }

  @Override
  public void onClose(@Nullable Throwable cause) {
    synchronized (this) {
      if (holding != null) {
        holding.close();
      }
    }
    super.onClose(cause);
  }

  @Override
  public Stage stage() {
    HttpParser parser = getParser();
    if (parser.isStart()) {
      return Stage.WAITING;
    }
    if (parser.inHeaderState()) {
      return Stage.HEAD;
    }
    return parser.inContentState() ? Stage.BODY : Stage.ANSWER;
  }

  @Override
  public long headBeginNanos() {
    return getParser().getBeginNanoTime();
  }

  @Override
  public long requests() {
    return getMessagesIn();
  }

  @Override
  protected RequestHandler newRequestHandler() {
    return new CountingHandler();
  }

  @Override
  protected HttpStreamOverHTTP1 newHttpStream(String method, String uri, HttpVersion version) {
    return new EndingStream(method, uri, version);
  }

  private void hold(long bytes) {
    Holdings.Holding known = holding;
    if (known == null) {
      if (bytes == 0) {
        return;
      }
      synchronized (this) {
        known = connections.holdingOfHead(getEndPoint());
        holding = known;
      }
    }
    known.add(bytes - known.bytes());
  }

  /**
   * Ends the connection with a 400: what client and server take for requests differs, and so may
   * what they take for the next one. And when it fails, so that the rest of its body is not read
   * for a request that Jetty has forgotten.
   */
  private final class EndingStream extends HttpStreamOverHTTP1 {
    private EndingStream(String method, String uri, HttpVersion version) {
      super(method, uri, version);
    }

    @Override
    public void send(
        MetaData.Request request,
        MetaData.@Nullable Response response,
        boolean last,
        @Nullable ByteBuffer content,
        Callback callback) {
      if (response != null && response.getStatus() == HttpStatus.BAD_REQUEST_400) {
        getGenerator().setPersistent(false);
      }
      super.send(request, response, last, content, callback);
    }

    @Override
    public void failed(Throwable failure) {
      getParser().close();
      super.failed(failure);
    }
  }

  /**
   * Jetty's parser. A connection that ends within a head ends without an answer (RFC 9112, section
   * 8, allows it): Jetty starts a thread for each, and a flood made that most of the server's work.
   */
  private final class EndingParser extends HttpParser {
    private EndingParser(HttpParser.RequestHandler handler, HttpCompliance compliance) {
      super(handler, getHttpConfiguration().getRequestHeaderSize(), compliance);
    }

    @Override
    public boolean parseNext(ByteBuffer buffer) {
      if (isAtEOF() && inHeaderState() && !isStart() && !buffer.hasRemaining()) {
        close();
      }
      parsing = buffer;
      boolean isRequest = super.parseNext(buffer);
      parsing = null;
      return isRequest;
    }
  }

  private final class CountingHandler extends RequestHandler {
    private boolean isHttp10;

    @Override
    public void badMessage(HttpException failure) {
      hasRefused = true;
      super.badMessage(failure);
    }

    @Override
    public void messageBegin() {
      fields = 0;
      super.messageBegin();
    }

    @Override
    public void startRequest(String method, String uri, HttpVersion version) {
      isHttp10 = version == HttpVersion.HTTP_1_0;
      super.startRequest(method, uri, version);
    }

    @Override
    public void parsedHeader(HttpField field) {
      if (++fields > MAX_FIELDS) {
        throw new HttpException.RuntimeException(
            HttpStatus.REQUEST_HEADER_FIELDS_TOO_LARGE_431, "more than " + MAX_FIELDS + " fields");
      }
      if (field.getHeader() == HttpHeader.TRANSFER_ENCODING) {
        // Both by RFC 9112, section 6.1.
        if (isHttp10) {
          throw new HttpException.RuntimeException(
              HttpStatus.BAD_REQUEST_400, "HTTP/1.0 has no transfer codings");
        }
        if (!HttpHeaderValue.CHUNKED.is(field.getValue())) {
          throw new HttpException.RuntimeException(
              HttpStatus.NOT_IMPLEMENTED_501, "a transfer coding other than chunked");
        }
      }
      // RFC 9113, section 3.1: the upgrade to HTTP/2 is obsolete, and to a proxy in front what
      // follows a 101 is a tunnel. Without the field, the request is answered over HTTP/1.1.
      if (field.getHeader() != HttpHeader.UPGRADE) {
        super.parsedHeader(field);
      }
    }
  }

  /** Makes them. Thread-safe. */
  static final class Factory extends HttpConnectionFactory {
    private final Connections connections;
    private final Newcomers newcomers;

    Factory(HttpConnectionFactory plain, Connections connections, Newcomers newcomers) {
      super(plain.getHttpConfiguration());
      this.connections = connections;
      this.newcomers = newcomers;
    }

    @Override
    public Connection newConnection(Connector connector, EndPoint endPoint) {
      BoundedHttpConnection connection =
          new BoundedHttpConnection(
              getHttpConfiguration(), connector, endPoint, connections, newcomers);
      connection.setTransferEncodingChunkMaxLength(getTransferEncodingChunkMaxLength());
      return configure(connection, connector, endPoint);
    }
  }
}
