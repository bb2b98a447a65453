package io.artifactserver.rest.server.engine;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * A socket whose records are written by their {@link GatheringSslConnection} alone, under its lock.
 *
 * <p>When a socket is full, Jetty's connection lets go of its lock and hands the buffer of records
 * on to the socket, to be written when there is room. The connection may nevertheless write the
 * rest itself meanwhile, and give the buffer to the pool: the socket would then send what another
 * connection has put into it. So nothing is handed on here. The socket tells the connection that
 * there is room, and the connection writes.
 */
class TlsEndPoint extends FairEndPoint {
  /** A few milliseconds of encryption, in bytes. */
  private static final long ENCRYPTED_TURN_LENGTH = WRITE_TURN_LENGTH / 4;

  /** Stands for what the connection has left to write; has a byte for as long as there is any. */
  private volatile @Nullable ByteBuffer rest;

  TlsEndPoint(
      SocketChannel channel,
      ManagedSelector selector,
      SelectionKey key,
      Scheduler scheduler,
      Newcomers newcomers,
      LingeringClose lingering) {
    super(channel, selector, key, scheduler, newcomers, lingering);
  }

  @Override
  long writeTurnLength() {
    return ENCRYPTED_TURN_LENGTH;
  }

  /** Completes when nothing is left of the records that the connection has made. */
  @Override
  public void write(Callback callback, ByteBuffer... records) {
    ByteBuffer next = ByteBuffer.allocate(1);
    rest = next;
    super.write(callback, next);
  }

  /** Equal bytes may be records. */
  @Override
  @SuppressWarnings("ReferenceEquality")
  public boolean flush(ByteBuffer... buffers) throws IOException {
    ByteBuffer known = rest;
    if (known == null || buffers.length != 1 || buffers[0] != known) {
      return super.flush(buffers);
    }
    if (!(getConnection() instanceof GatheringSslConnection connection)) {
      throw new IllegalStateException("No connection of TLS: " + getConnection());
    }
    boolean isFlushed = connection.flushRest();
    if (isFlushed) {
      known.position(known.limit());
    }
    return isFlushed;
  }
}
