package io.artifactserver.benchmarks.load;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** The bytes of one connection, plain or through TLS. Used by one thread; nothing here blocks. */
interface Transport {

  /**
   * Does what can be done now to open it.
   *
   * @return whether it is open
   */
  boolean open() throws IOException;

  /** Reads what is there: bytes, 0 if there are none now, -1 at the end. */
  int read(ByteBuffer target) throws IOException;

  /** Fewest bytes that must have room in a target for a read to make progress. */
  int smallestRead();

  /** Takes all of the source. What cannot be sent now is kept for {@link #flush}. */
  void write(ByteBuffer source) throws IOException;

  /** Sends what was kept; returns whether nothing is left. */
  boolean flush() throws IOException;

  /** TCP and nothing else. */
  final class Plain implements Transport {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final SocketChannel channel;
    private ByteBuffer kept = NOTHING;

    Plain(SocketChannel channel) {
      this.channel = channel;
    }

    @Override
    public boolean open() {
      return true;
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
      return channel.read(target);
    }

    @Override
    public int smallestRead() {
      return 1;
    }

    @Override
    public void write(ByteBuffer source) throws IOException {
      channel.write(source);
      if (source.hasRemaining()) {
        kept = ByteBuffer.allocate(source.remaining()).put(source).flip();
      }
    }

    @Override
    public boolean flush() throws IOException {
      if (kept.hasRemaining()) {
        channel.write(kept);
      }
      return !kept.hasRemaining();
    }
  }
}
