package io.artifactserver.rest.server.engine;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import io.artifactserver.rest.endtoend.TestAuthority;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLSocket;
import org.eclipse.jetty.io.ArrayByteBufferPool;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.RetainableByteBuffer;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.io.WriteFlusher;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.ScheduledExecutorScheduler;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** A socket takes a part of an answer's records. Then another thread does what it may. */
class TlsEndPointTest {
  private static final int LENGTH = 200_000;
  private static final byte OURS = 'o';
  private static final byte FOREIGN = 'f';

  private static final byte[] REQUEST =
      "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
          .getBytes(StandardCharsets.US_ASCII);

  /** Bytes that the socket takes at first of some records. */
  private static final int LITTLE = 1_000;

  @TempDir private Path folder;

  private final Server server = new Server();
  private final LingeringClose lingering = new LingeringClose();
  private final Logger flushes = (Logger) LoggerFactory.getLogger(WriteFlusher.class);
  private final Between between = new Between();
  private final CompletableFuture<EndPoint> connection = new CompletableFuture<>();
  private final CountDownLatch handsOn = new CountDownLatch(1);
  private final CountDownLatch hasWrittenTheRest = new CountDownLatch(1);
  private final CountDownLatch hasAnswered = new CountDownLatch(1);
  private final CountDownLatch hasEnded = new CountDownLatch(1);
  private volatile boolean isEnded;
  private volatile boolean isFull;
  private volatile boolean wasFull;

  @AfterEach
  void stop() throws Exception {
    flushes.setLevel(null);
    flushes.setAdditive(true);
    flushes.detachAppender(between);
    server.stop();
    lingering.close();
  }

  /**
   * It begins to wait for a request, finds records that the socket had no room for, and hands them
   * on. The pool does what it does on a busy server: a buffer that comes back has another's bytes
   * at once.
   */
  @Test
  void recordsThatAreHandedOnAreWrittenByTheirConnection() throws Exception {
    TestAuthority authority = new TestAuthority(folder, "authority");
    authority.issue("server", "CN=localhost", "san=dns:localhost,ip:127.0.0.1");
    ServerConnector connector = start();
    byte[] answer;
    try (SSLSocket client = connect(authority, connector)) {
      between.start();
      flushes.setLevel(Level.DEBUG);
      flushes.setAdditive(false);
      flushes.addAppender(between);
      client.getOutputStream().write(REQUEST);
      InputStream in = client.getInputStream();
      answer = in.readAllBytes();
    }
    assertThat(hasWrittenTheRest.getCount()).isZero();
    byte[] expected = new byte[LENGTH];
    Arrays.fill(expected, OURS);
    assertThat(Arrays.copyOfRange(answer, answer.length - LENGTH, answer.length))
        .isEqualTo(expected);
  }

  /** It ends the connection, as a sweep does or a second signal to stop. */
  @Test
  void answerEndsWhenItsConnectionEndsBeforeTheRestIsWritten() throws Exception {
    isEnded = true;
    TestAuthority authority = new TestAuthority(folder, "authority");
    authority.issue("server", "CN=localhost", "san=dns:localhost,ip:127.0.0.1");
    ServerConnector connector = start();
    try (SSLSocket client = connect(authority, connector)) {
      client.getOutputStream().write(REQUEST);
      await(hasAnswered);
    }
  }

  private static SSLSocket connect(TestAuthority authority, ServerConnector connector)
      throws Exception {
    SSLSocket client =
        (SSLSocket)
            authority
                .client(null)
                .getSocketFactory()
                .createSocket("127.0.0.1", connector.getLocalPort());
    client.setSoTimeout(30_000);
    client.startHandshake();
    return client;
  }

  private ServerConnector start() throws Exception {
    SslContextFactory.Server certificates = new SslContextFactory.Server();
    certificates.setKeyStorePath(folder.resolve("authority.p12").toString());
    certificates.setKeyStorePassword(TestAuthority.PASSWORD);
    certificates.setCertAlias("server");
    Newcomers newcomers = new Newcomers(_ -> Optional.empty());
    GatheringSslConnection.Factory tls =
        new GatheringSslConnection.Factory(certificates, "http/1.1", newcomers);
    // Those on the heap are not of the pool that is given here.
    tls.setDirectBuffersForEncryption(true);
    ServerConnector connector =
        new ServerConnector(
            server, null, null, new BusyPool(), 1, 1, tls, new HttpConnectionFactory()) {
          @Override
          protected SocketChannelEndPoint newEndPoint(
              SocketChannel channel, ManagedSelector selector, SelectionKey key) {
            return new Socket(channel, selector, key, newcomers, lingering);
          }
        };
    connector.setHost("127.0.0.1");
    connector.addBean(
        new Connection.Listener() {
          @Override
          public void onClosed(Connection closed) {
            hasEnded.countDown();
          }
        });
    server.addConnector(connector);
    server.setHandler(
        new Handler.Abstract() {
          @Override
          public boolean handle(Request request, Response response, Callback callback) {
            connection.complete(request.getConnectionMetaData().getConnection().getEndPoint());
            byte[] body = new byte[LENGTH];
            Arrays.fill(body, OURS);
            isFull = true;
            response.write(
                true,
                ByteBuffer.wrap(body),
                new Callback.Nested(callback) {
                  @Override
                  public void completed() {
                    hasAnswered.countDown();
                  }
                });
            return true;
          }
        });
    server.start();
    return connector;
  }

  /** Takes little of the first records, and everything afterwards. */
  private final class Socket extends TlsEndPoint {
    private Socket(
        SocketChannel channel,
        ManagedSelector selector,
        SelectionKey key,
        Newcomers newcomers,
        LingeringClose lingering) {
      super(channel, selector, key, new ScheduledExecutorScheduler(), newcomers, lingering);
    }

    @Override
    public void write(Callback callback, ByteBuffer... records) {
      if (isEnded) {
        close(new TimeoutException());
        await(hasEnded);
      }
      super.write(callback, records);
    }

    @Override
    public boolean flush(ByteBuffer... buffers) throws IOException {
      if (Thread.currentThread().equals(between.reader)) {
        handsOn.countDown();
        await(hasWrittenTheRest);
      } else if (isFull && !wasFull && BufferUtil.remaining(buffers) > LITTLE) {
        wasFull = true;
        ByteBuffer little = buffers[0].slice(buffers[0].position(), LITTLE);
        super.flush(little);
        buffers[0].position(buffers[0].position() + LITTLE - little.remaining());
        return false;
      } else if (wasFull && isEnded && isOpen()) {
        return false;
      }
      while (!super.flush(buffers) && BufferUtil.remaining(buffers) > 1) {
        Thread.onSpinWait();
      }
      return BufferUtil.isEmpty(buffers);
    }
  }

  /** Runs between two tries of whoever writes, while no lock is held. */
  private final class Between extends UnsynchronizedAppenderBase<ILoggingEvent> {
    private final Thread reader =
        Thread.ofPlatform().unstarted(() -> connection.join().tryFillInterested(Callback.NOOP));

    @Override
    protected void append(ILoggingEvent event) {
      if (!wasFull || !event.getMessage().startsWith("Flushed=")) {
        return;
      }
      if (reader.getState() == Thread.State.NEW) {
        reader.start();
        TlsEndPointTest.await(handsOn);
      } else if (!Thread.currentThread().equals(reader)) {
        hasWrittenTheRest.countDown();
      }
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Other connections take a buffer as soon as it comes back. */
  private static final class BusyPool extends ArrayByteBufferPool {
    @Override
    public RetainableByteBuffer.Mutable acquire(int size, boolean direct) {
      RetainableByteBuffer.Mutable buffer = super.acquire(size, direct);
      BufferUtil.clear(buffer.getByteBuffer());
      return size == RecordBuffers.LENGTH ? new Taken(buffer) : buffer;
    }
  }

  private static final class Taken extends RetainableByteBuffer.Wrapper {
    private Taken(RetainableByteBuffer buffer) {
      super(buffer);
    }

    @Override
    public boolean release() {
      ByteBuffer bytes = getByteBuffer();
      boolean isLast = super.release();
      if (isLast) {
        bytes.clear();
        while (bytes.hasRemaining()) {
          bytes.put(FOREIGN);
        }
        bytes.clear();
      }
      return isLast;
    }
  }
}
