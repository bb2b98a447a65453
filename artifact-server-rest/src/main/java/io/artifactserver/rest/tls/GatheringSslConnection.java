package io.artifactserver.rest.tls;

import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;
import javax.net.ssl.SSLException;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.io.ssl.SslHandshakeListener;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.jspecify.annotations.Nullable;

/**
 * TLS whose handshakes have threads of their own, so that a storm of them makes newcomers wait and
 * not the downloads of a selector. And which fills its buffer with records before it writes to the
 * socket: Jetty's writes each record for itself, and 128 KiB are nine system calls, and as many
 * packets on their way through the kernel.
 */
final class GatheringSslConnection extends SslConnection {
  private final Executor handshakes;
  private volatile boolean isShaken;

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
    this.handshakes = factory.handshakes;
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
      handshakes.execute(super::onFillable);
    }
  }

  /**
   * Encrypts as many records as there is input and certainly room for. Stops at whatever is not
   * plain sending, which is the caller's business.
   */
  @Override
  protected SSLEngineResult wrap(SSLEngine engine, ByteBuffer[] input, ByteBuffer output)
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

  /** Makes them. Thread-safe. */
  static final class Factory extends SslConnectionFactory {
    /** Enough for all that are written at full speed; 4 MB in all. */
    private static final int MAX_LARGE_BUFFERS = 64;

    /** As many at a time as there are cores; those that wait are connections, which are bounded. */
    private static final int HANDSHAKE_THREADS = Runtime.getRuntime().availableProcessors();

    private static final long IDLE_SECONDS = 30;

    private final ThreadPoolExecutor handshakes =
        new ThreadPoolExecutor(
            HANDSHAKE_THREADS,
            HANDSHAKE_THREADS,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            Thread.ofPlatform().daemon().name("handshake-", 0).factory());

    private @Nullable RecordBuffers buffers;

    Factory(SslContextFactory.Server certificates, String nextProtocol) {
      super(certificates, nextProtocol);
      handshakes.allowCoreThreadTimeOut(true);
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
