package io.artifactserver.rest.server.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.ScheduledExecutorScheduler;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class FairEndPointTest {
  /** As TLS writes. */
  private static final int PIECE = 64 * 1024;

  private final AtomicLong time = new AtomicLong(-1000);

  @Test
  void aTurnEndsAndTheSelectorBeginsTheNext() throws Exception {
    try (LingeringClose lingering = new LingeringClose();
        ServerSocketChannel listener = ServerSocketChannel.open();
        Selector selector = Selector.open()) {
      listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      try (SocketChannel client = SocketChannel.open(listener.getLocalAddress());
          SocketChannel server = listener.accept()) {
        server.configureBlocking(false);
        SelectionKey key = server.register(selector, SelectionKey.OP_READ);
        ScheduledExecutorScheduler scheduler = new ScheduledExecutorScheduler();
        FairEndPoint endPoint =
            new FairEndPoint(
                server,
                null,
                key,
                scheduler,
                new Newcomers(_ -> Optional.empty()),
                lingering,
                time::get);
        client.write(ByteBuffer.allocate(FairEndPoint.PROMPT_LENGTH + 100));
        assertThat(selector.select()).isEqualTo(1);
        assertThat(endPoint.onSelected()).isNotNull();
        assertThat(filled(endPoint, FairEndPoint.PROMPT_LENGTH))
            .isEqualTo(FairEndPoint.PROMPT_LENGTH);
        time.addAndGet(10 * FairEndPoint.TURN_NANOS);
        // More than an ordinary request: now its time runs.
        assertThat(filled(endPoint)).isEqualTo(10);
        time.addAndGet(FairEndPoint.TURN_NANOS);
        assertThat(filled(endPoint)).isEqualTo(10);
        time.addAndGet(1);
        assertThat(filled(endPoint)).isZero();

        // There is more of the kind: not for the selector's thread.
        CompletableFuture<String> reader = new CompletableFuture<>();
        endPoint.fillInterested(
            Callback.from(
                () -> reader.complete(Thread.currentThread().getName()),
                reader::completeExceptionally));
        Objects.requireNonNull(endPoint.onSelected()).run();
        assertThat(reader.get()).startsWith("newcomer-");
        assertThat(filled(endPoint)).isEqualTo(10);

        client.write(ByteBuffer.allocate(FairEndPoint.PROMPT_LENGTH));
        assertThat(filled(endPoint, FairEndPoint.PROMPT_LENGTH))
            .isEqualTo(FairEndPoint.PROMPT_LENGTH);
        endPoint.trust();
        time.addAndGet(FairEndPoint.TURN_NANOS + 1);
        assertThat(filled(endPoint)).isEqualTo(10);
      }
    }
  }

  /** A client that reads as fast as the server encrypts would have a selector for itself. */
  @Test
  void whoWritesMuchIsToldThatTheSocketIsFull() throws Exception {
    try (LingeringClose lingering = new LingeringClose();
        ServerSocketChannel listener = ServerSocketChannel.open();
        Selector selector = Selector.open()) {
      listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      try (SocketChannel client = SocketChannel.open(listener.getLocalAddress());
          SocketChannel server = listener.accept()) {
        server.configureBlocking(false);
        FairEndPoint endPoint =
            new FairEndPoint(
                server,
                null,
                server.register(selector, 0),
                new ScheduledExecutorScheduler(),
                new Newcomers(_ -> Optional.empty()),
                lingering,
                time::get);
        for (int turn = 0; turn < 3; turn++) {
          for (long sent = 0; sent < FairEndPoint.WRITE_TURN_LENGTH; sent += PIECE) {
            assertThat(endPoint.flush(ByteBuffer.allocate(PIECE))).isTrue();
            read(client, PIECE);
          }
          // The end of a connection does not wait.
          assertThat(endPoint.flush(ByteBuffer.allocate(30))).isTrue();
          read(client, 30);
          ByteBuffer next = ByteBuffer.allocate(PIECE);
          // TLS tries again before it waits for the selector.
          for (int i = 0; i < 3; i++) {
            assertThat(endPoint.flush(next)).isFalse();
            assertThat(next.remaining()).isEqualTo(PIECE);
          }
          assertThat(endPoint.flush(ByteBuffer.allocate(0))).isTrue();
          endPoint.beginWriteTurn();
        }
      }
    }
  }

  /** The selector knows nothing of it any more. */
  @Test
  void whoeverWaitsForAClosedSocketFailsAtOnce() throws Exception {
    try (LingeringClose lingering = new LingeringClose();
        ServerSocketChannel listener = ServerSocketChannel.open();
        Selector selector = Selector.open()) {
      listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      try (SocketChannel socket = SocketChannel.open(listener.getLocalAddress())) {
        socket.configureBlocking(false);
        FairEndPoint endPoint =
            new FairEndPoint(
                socket,
                null,
                socket.register(selector, 0),
                new ScheduledExecutorScheduler(),
                new Newcomers(_ -> Optional.empty()),
                lingering,
                time::get) {
              @Override
              public void onClose(@Nullable Throwable cause) {
                // Nobody waits yet, and there is no selector here that would forget the socket.
              }
            };
        // The socket has room, but it is the others' turn.
        endPoint.wrote(FairEndPoint.WRITE_TURN_LENGTH);
        endPoint.close(new TimeoutException());
        Callback.Completable written = new Callback.Completable();
        endPoint.write(written, ByteBuffer.allocate(PIECE));
        assertThat(written).isCompletedExceptionally();
        assertThatThrownBy(written::get).hasCauseInstanceOf(EofException.class);
        Callback.Completable read = new Callback.Completable();
        endPoint.fillInterested(read);
        assertThatThrownBy(read::get).hasCauseInstanceOf(EofException.class);
      }
    }
  }

  /** The client still gets its answer, though it sends on and on. */
  @Test
  void aReaderWhoseInputIsOverFindsItsEndAndTheClientItsAnswer() throws Exception {
    try (LingeringClose lingering = new LingeringClose();
        ServerSocketChannel listener = ServerSocketChannel.open();
        Selector selector = Selector.open()) {
      listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      try (SocketChannel client = SocketChannel.open(listener.getLocalAddress());
          SocketChannel server = listener.accept()) {
        server.configureBlocking(false);
        FairEndPoint endPoint =
            new FairEndPoint(
                server,
                null,
                server.register(selector, 0),
                new ScheduledExecutorScheduler(),
                new Newcomers(_ -> Optional.empty()),
                lingering,
                time::get) {
              @Override
              public void onClose(@Nullable Throwable cause) {
                // There is no selector here that would forget the socket.
              }
            };
        Callback.Completable waiting = new Callback.Completable();
        endPoint.fillInterested(waiting);
        endPoint.endInput();
        assertThat(waiting).isCompleted();
        client.write(ByteBuffer.allocate(PIECE));
        assertThat(filled(endPoint)).isEqualTo(-1);
        Callback.Completable next = new Callback.Completable();
        endPoint.fillInterested(next);
        assertThat(next).isCompleted();
        assertThat(endPoint.flush(ByteBuffer.allocate(30))).isTrue();
        endPoint.close();
        client.write(ByteBuffer.allocate(PIECE));
        read(client, 30);
        assertThat(client.read(ByteBuffer.allocate(1))).isEqualTo(-1);
      }
    }
  }

  private static void read(SocketChannel client, int length) throws Exception {
    ByteBuffer target = ByteBuffer.allocate(length);
    while (target.hasRemaining()) {
      assertThat(client.read(target)).isPositive();
    }
  }

  private static int filled(SocketChannelEndPoint endPoint) throws Exception {
    return filled(endPoint, 10);
  }

  private static int filled(SocketChannelEndPoint endPoint, int room) throws Exception {
    return endPoint.fill(BufferUtil.allocate(room));
  }
}
