package io.artifactserver.rest.endtoend;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Clients that ask again as soon as they are answered, all of them on one thread: whoever watches
 * the server from the same process is not to wait for them. Used by one thread.
 */
final class ClosedLoop implements AutoCloseable {
  private static final Pattern STATUS = Pattern.compile("HTTP/1\\.1 (\\d{3}) ");
  private static final Pattern LENGTH = Pattern.compile("(?i)\r\ncontent-length: (\\d+)");
  private static final int MAX_ANSWER = 8192;

  private final Selector selector = Selector.open();
  private final Map<Integer, Integer> answers = new TreeMap<>();
  private final Supplier<String> requests;

  /**
   * Connects.
   *
   * @param requests whole requests of HTTP/1.1 whose answers are short
   */
  ClosedLoop(int port, int clients, Supplier<String> requests) throws IOException {
    this.requests = requests;
    for (int i = 0; i < clients; i++) {
      SocketChannel channel =
          SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      channel.configureBlocking(false);
      channel.register(selector, SelectionKey.OP_READ, ByteBuffer.allocate(MAX_ANSWER));
      ask(channel);
    }
  }

  /** Returns how many answers of each status there were. */
  Map<Integer, Integer> run(long seconds) throws IOException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    for (long rest = end - System.nanoTime(); rest > 0; rest = end - System.nanoTime()) {
      selector.select(this::read, TimeUnit.NANOSECONDS.toMillis(rest) + 1);
    }
    return answers;
  }

  @Override
  public void close() throws IOException {
    for (SelectionKey key : selector.keys()) {
      key.channel().close();
    }
    selector.close();
  }

  private void read(SelectionKey key) {
    SocketChannel channel = (SocketChannel) key.channel();
    ByteBuffer answer = (ByteBuffer) key.attachment();
    try {
      if (channel.read(answer) < 0) {
        throw new AssertionError("The server closed a connection");
      }
      String text = StandardCharsets.ISO_8859_1.decode(answer.duplicate().flip()).toString();
      int end = text.indexOf("\r\n\r\n");
      Matcher status = STATUS.matcher(text);
      Matcher length = LENGTH.matcher(text);
      if (end > 0
          && status.lookingAt()
          && length.find()
          && answer.position() == end + 4 + Integer.parseInt(length.group(1))) {
        answers.merge(Integer.valueOf(status.group(1)), 1, Integer::sum);
        answer.clear();
        ask(channel);
      }
    } catch (IOException e) {
      throw new AssertionError("A connection broke", e);
    }
  }

  private void ask(SocketChannel channel) throws IOException {
    ByteBuffer request = StandardCharsets.US_ASCII.encode(requests.get());
    if (channel.write(request) == 0 || request.hasRemaining()) {
      throw new IOException("A socket that should be empty is full");
    }
  }
}
