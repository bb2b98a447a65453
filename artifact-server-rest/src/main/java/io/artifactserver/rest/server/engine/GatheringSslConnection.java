package io.artifactserver.rest.server.engine;

import java.io.IOException;
import java.nio.ByteBuffer;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;
import javax.net.ssl.SSLException;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.io.ssl.SslHandshakeListener;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.Invocable.InvocationType;
import org.jspecify.annotations.Nullable;

/**
 * TLS whose handshakes ({@link Newcomers}) do not delay the downloads of a selector for long. It
 * fills its buffer with records before it writes to the socket. Jetty writes each record by itself:
 * nine system calls, and as many packets, for 128 KiB.
 */
final class GatheringSslConnection extends SslConnection {
  private final Newcomers newcomers;
  private volatile boolean isShaken;

  /** Whether a record was given up halfway. */
  private volatile boolean isBroken;

  /** Bytes of the last records that the socket had no room for. */
  private volatile int unsent;

  private GatheringSslConnection(
      ByteBufferPool pool,
      Connector connector,
      Factory factory,
      EndPoint endPoint,
      SSLEngine engine) {
    super(
        pool,
        connector.getExecutor(),
        factory.getSslContextFactory(),
        endPoint,
        engine,
        factory.isDirectBuffersForEncryption(),
        factory.isDirectBuffersForDecryption());
    this.newcomers = factory.newcomers;
    addHandshakeListener(
        new SslHandshakeListener() {
          @Override
          public void handshakeSucceeded(Event event) {
            isShaken = true;
          }
        });
  }

  @Override
  public void onFillable() {
    if (isShaken) {
      super.onFillable();
    } else {
      newcomers.run(getEndPoint(), getBytesIn(), super::onFillable);
    }
  }

  /** Only a handshake's: to hand it on blocks nobody, so that needs no further thread. */
  @Override
  public void tryFillInterested(Callback callback) {
    super.tryFillInterested(
        isShaken
            ? callback
            : Callback.from(InvocationType.NON_BLOCKING, callback::succeeded, callback::failed));
  }

  @Override
  protected SslEndPoint newSslEndPoint() {
    return new QuietEndPoint();
  }

  /** Called with Jetty's lock of this connection only. */
  @Override
  protected boolean networkFlush(ByteBuffer output) throws IOException {
    boolean isFlushed = super.networkFlush(output);
    unsent = output.remaining();
    return isFlushed;
  }

  /**
   * Sends what is left of the records that were made; makes no new ones, because Jetty waits for
   * this.
   *
   * @return whether nothing is left
   */
  boolean flushRest() throws IOException {
    getSslEndPoint().flush(BufferUtil.EMPTY_BUFFER);
    return unsent == 0;
  }

  /**
   * Sends nothing after a record that was given up. The client could not decrypt it, not even the
   * notice that the connection ends.
   */
  @Override
  protected SSLEngineResult wrap(SSLEngine engine, ByteBuffer[] input, ByteBuffer output)
      throws SSLException {
    if (isBroken) {
      throw new SSLException("A record was given up before");
    }
    try {
      return wrapAll(engine, input, output);
    } catch (Error e) {
      // A mapped file was cut short, or memory is short. The engine has counted the record.
      isBroken = true;
      throw e;
    }
  }

  /**
   * Encrypts as many records as there is input and certainly room for. Stops at whatever is not
   * plain sending, which is the caller's business.
   */
  private static SSLEngineResult wrapAll(SSLEngine engine, ByteBuffer[] input, ByteBuffer output)
      throws SSLException {
    SSLEngineResult result = engine.wrap(input, output);
    int consumed = result.bytesConsumed();
    int produced = result.bytesProduced();
    int room = engine.getSession().getPacketBufferSize();
    while (result.getStatus() == Status.OK
        && result.getHandshakeStatus() == HandshakeStatus.NOT_HANDSHAKING
        && result.bytesConsumed() > 0
        && output.remaining() >= room
        && !BufferUtil.isEmpty(input)) {
      SSLEngineResult next = engine.wrap(input, output);
      if (next.getStatus() == Status.BUFFER_OVERFLOW) {
        break;
      }
      result = next;
      consumed += result.bytesConsumed();
      produced += result.bytesProduced();
    }
    return new SSLEngineResult(result.getStatus(), result.getHandshakeStatus(), consumed, produced);
  }

  /** To a client that has gone it fails as a socket does, about which nothing is logged. */
  private final class QuietEndPoint extends SslEndPoint {
    @Override
    public int fill(ByteBuffer buffer) throws IOException {
      try {
        return super.fill(buffer);
      } catch (IOException e) {
        throw quiet(e);
      }
    }

    @Override
    public boolean flush(ByteBuffer... buffers) throws IOException {
      try {
        return super.flush(buffers);
      } catch (IOException e) {
        throw quiet(e);
      }
    }

    /** Fails what is being written and what waits to be read, before the caller knows. */
    @Override
    public void onClose(@Nullable Throwable failure) {
      super.onClose(failure instanceof IOException e ? quiet(e) : failure);
    }

    private static IOException quiet(IOException failure) {
      return failure instanceof EofException || failure instanceof SSLException
          ? failure
          : new EofException(failure);
    }
  }

  /** Makes them. Thread-safe. */
  static final class Factory extends SslConnectionFactory {
    /** Enough for all that are written at full speed; 4 MB in all. */
    private static final int MAX_LARGE_BUFFERS = 64;

    private final Newcomers newcomers;
    private @Nullable RecordBuffers buffers;

    Factory(SslContextFactory.Server certificates, String nextProtocol, Newcomers newcomers) {
      super(certificates, nextProtocol);
      this.newcomers = newcomers;
    }

    @Override
    protected SslConnection newSslConnection(
        Connector connector, EndPoint endPoint, SSLEngine engine) {
      return new GatheringSslConnection(
          buffers(connector.getByteBufferPool()), connector, this, endPoint, engine);
    }

    private synchronized RecordBuffers buffers(ByteBufferPool pool) {
      if (buffers == null) {
        buffers = new RecordBuffers(pool, MAX_LARGE_BUFFERS);
      }
      return buffers;
    }
  }
}
