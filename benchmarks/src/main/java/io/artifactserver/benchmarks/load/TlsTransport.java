package io.artifactserver.benchmarks.load;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;

/** TLS by an {@link SSLEngine} over a channel that does not block. */
final class TlsTransport implements Transport {
  private static final int INPUT_LENGTH = 64 * 1024;
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final SocketChannel channel;
  private final SSLEngine engine;
  // Both always ready to be drained: between position and limit is what is left.
  private final ByteBuffer received = ByteBuffer.allocateDirect(INPUT_LENGTH).flip();
  private final ByteBuffer sending;
  private boolean started;

  TlsTransport(SocketChannel channel, SSLEngine engine) {
    this.channel = channel;
    this.engine = engine;
    this.sending = ByteBuffer.allocateDirect(engine.getSession().getPacketBufferSize()).flip();
  }

  @Override
  public boolean open() throws IOException {
    if (!started) {
      started = true;
      engine.beginHandshake();
    }
    ByteBuffer scratch = ByteBuffer.allocate(smallestRead());
    while (true) {
      if (!flush()) {
        return false;
      }
      switch (engine.getHandshakeStatus()) {
        case FINISHED, NOT_HANDSHAKING -> {
          return true;
        }
        case NEED_WRAP -> wrap(NOTHING);
        case NEED_TASK -> {
          for (Runnable task = engine.getDelegatedTask();
              task != null;
              task = engine.getDelegatedTask()) {
            task.run();
          }
        }
        case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> {
          SSLEngineResult result = engine.unwrap(received, scratch);
          if (result.getStatus() == Status.CLOSED) {
            throw new IOException("The server ended the TLS handshake");
          }
          if (result.getStatus() == Status.BUFFER_UNDERFLOW) {
            int n = fill();
            if (n < 0) {
              throw new IOException("The server closed the connection during the TLS handshake");
            }
            if (n == 0) {
              return false;
            }
          }
        }
      }
    }
  }

  @Override
  public int read(ByteBuffer target) throws IOException {
    int before = target.position();
    while (target.remaining() >= smallestRead()) {
      SSLEngineResult result = engine.unwrap(received, target);
      if (result.getStatus() == Status.CLOSED) {
        return target.position() > before ? target.position() - before : -1;
      }
      if (result.getHandshakeStatus() == HandshakeStatus.NEED_WRAP) {
        // An answer to a key update.
        wrap(NOTHING);
      }
      if (result.getStatus() == Status.BUFFER_UNDERFLOW) {
        int n = fill();
        if (n < 0 && target.position() == before) {
          return -1;
        }
        if (n <= 0) {
          break;
        }
      }
    }
    return target.position() - before;
  }

  private int fill() throws IOException {
    received.compact();
    try {
      return channel.read(received);
    } finally {
      received.flip();
    }
  }

  @Override
  public int smallestRead() {
    return engine.getSession().getApplicationBufferSize();
  }

  @Override
  public void write(ByteBuffer source) throws IOException {
    while (source.hasRemaining()) {
      wrap(source);
    }
    flush();
  }

  private void wrap(ByteBuffer source) throws IOException {
    sending.compact();
    try {
      SSLEngineResult result = engine.wrap(source, sending);
      if (result.getStatus() != Status.OK) {
        throw new IOException("TLS cannot send: " + result.getStatus());
      }
    } finally {
      sending.flip();
    }
  }

  @Override
  public boolean flush() throws IOException {
    if (sending.hasRemaining()) {
      channel.write(sending);
    }
    return !sending.hasRemaining();
  }
}
