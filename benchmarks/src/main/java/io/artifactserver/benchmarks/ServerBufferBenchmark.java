package io.artifactserver.benchmarks;

import io.artifactserver.core.blob.Blob;
import io.artifactserver.core.blob.FileRegion;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.range.ByteRange;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.RetainableByteBuffer;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.IteratingCallback;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/**
 * One download of 1 MiB while 79 others run: the engine that the server has, with a handler that
 * writes buffers of a given size from a file, or the mapped file itself. Clients and server share
 * the process and its processors, so that the clients' half of the work dampens every difference.
 *
 * <p>Published with Tomcat: 462 ms with 8 KB, 2,737 ms with 256 KB.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Fork(2)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Threads(80)
public class ServerBufferBenchmark {
  private static final int RANGE_LENGTH = 1024 * 1024;

  /** A listening Jetty. */
  // JMH calls the set-up before anything else; a constructor cannot do its work.
  @SuppressWarnings("NullAway.Init")
  @State(Scope.Benchmark)
  public static class Engine {
    /** Bytes of one write: a length, or the mapping's whole range. */
    @Param({"8192", "32768", "65536", "131072", "262144", "1048576", "mapped"})
    String body;

    private Server server;
    private ServerConnector connector;

    /** Listens. */
    @Setup(Level.Trial)
    public void start(PlainBlob blob) throws Exception {
      server = new Server();
      connector = new ServerConnector(server);
      connector.setHost(InetAddress.getLoopbackAddress().getHostAddress());
      connector.setAcceptQueueSize(4096);
      server.addConnector(connector);
      server.setHandler(new Ranges(blob.blob(), body));
      server.start();
    }

    /** Ends. */
    @TearDown(Level.Trial)
    public void stop() throws Exception {
      server.stop();
    }
  }

  /** A connection that is kept open. */
  // JMH calls the set-up before anything else; a constructor cannot do its work.
  @SuppressWarnings("NullAway.Init")
  @State(Scope.Thread)
  public static class Client {
    private static final int STEP = 4096;

    private final Random random = new Random(1);
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(256 * 1024);
    private SocketChannel channel;

    /** Connects. */
    @Setup(Level.Trial)
    public void connect(Engine engine) throws IOException {
      channel =
          SocketChannel.open(
              new InetSocketAddress(
                  InetAddress.getLoopbackAddress(), engine.connector.getLocalPort()));
    }

    /** Hangs up. */
    @TearDown(Level.Trial)
    public void disconnect() throws IOException {
      channel.close();
    }

    private long download() throws IOException {
      long position = random.nextLong((LargeBlob.LENGTH - RANGE_LENGTH) / STEP) * STEP;
      channel.write(
          StandardCharsets.US_ASCII.encode(
              "GET /%d HTTP/1.1\r\nHost: localhost\r\n\r\n".formatted(position)));
      buffer.clear();
      int header = 0;
      long total = 0;
      while (header == 0 || total < header + RANGE_LENGTH) {
        if (header > 0) {
          buffer.clear();
        }
        int n = channel.read(buffer);
        if (n < 0) {
          throw new EOFException("%d bytes of an answer".formatted(total));
        }
        total += n;
        if (header == 0) {
          header = headerLength();
        }
      }
      if (total != header + RANGE_LENGTH) {
        throw new IOException("%d bytes behind the header".formatted(total - header));
      }
      return total;
    }

    /** Length of the header, or 0 if it is not all there. */
    private int headerLength() throws IOException {
      for (int i = 3; i < buffer.position(); i++) {
        if (buffer.get(i) == '\n' && buffer.get(i - 2) == '\n') {
          if (buffer.get("HTTP/1.1 ".length()) != '2') {
            throw new IOException("An answer that is not 200");
          }
          return i + 1;
        }
      }
      return 0;
    }
  }

  /** One of 80 downloads. */
  @Benchmark
  public long download(Engine engine, Client client) throws IOException {
    return client.download();
  }

  /**
   * Answers {@code /POSITION} with the bytes from there: as one slice of the mapped file, or
   * through one pooled buffer that is filled again when the connection has taken it.
   */
  private static final class Ranges extends Handler.Abstract.NonBlocking {
    private final Blob blob;
    private final String body;

    Ranges(Blob blob, String body) {
      this.blob = blob;
      this.body = body;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback)
        throws StorageException {
      String path = Objects.requireNonNull(request.getHttpURI().getPath());
      ByteRange range = new ByteRange(Long.parseLong(path, 1, path.length(), 10), RANGE_LENGTH);
      response.getHeaders().put(HttpHeader.CONTENT_LENGTH, RANGE_LENGTH);
      if (body.equals("mapped")) {
        FileRegion region = blob.fileRegion(range).orElseThrow();
        response.write(true, region.slice(0, RANGE_LENGTH), Callback.from(region::close, callback));
      } else {
        int bufferLength = Integer.parseInt(body);
        RetainableByteBuffer.Mutable buffer =
            request.getComponents().getByteBufferPool().acquire(bufferLength, true);
        new Copy(blob.open(range), buffer, bufferLength, response, callback).iterate();
      }
      return true;
    }
  }

  private static final class Copy extends IteratingCallback {
    private final RangeReader reader;
    private final RetainableByteBuffer.Mutable buffer;
    private final int bufferLength;
    private final Response response;
    private final Callback callback;
    private long remaining = RANGE_LENGTH;

    Copy(
        RangeReader reader,
        RetainableByteBuffer.Mutable buffer,
        int bufferLength,
        Response response,
        Callback callback) {
      this.reader = reader;
      this.buffer = buffer;
      this.bufferLength = bufferLength;
      this.response = response;
      this.callback = callback;
    }

    @Override
    protected Action process() throws StorageException {
      if (remaining == 0) {
        return Action.SUCCEEDED;
      }
      ByteBuffer bytes = buffer.getByteBuffer().clear().limit(bufferLength);
      while (bytes.hasRemaining() && reader.read(bytes) >= 0) {
        // The pool's buffer may be longer than asked for, and the range may end before it.
      }
      bytes.flip();
      remaining -= bytes.remaining();
      response.write(remaining == 0, bytes, this);
      return Action.SCHEDULED;
    }

    @Override
    protected void onCompleteSuccess() {
      end();
      callback.succeeded();
    }

    @Override
    protected void onCompleteFailure(Throwable cause) {
      end();
      callback.failed(cause);
    }

    private void end() {
      reader.close();
      buffer.release();
    }
  }
}
