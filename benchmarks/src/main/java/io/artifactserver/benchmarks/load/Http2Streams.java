package io.artifactserver.benchmarks.load;

import io.artifactserver.benchmarks.load.LoadReport.Round;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.http.MetaData;
import org.eclipse.jetty.http2.ErrorCode;
import org.eclipse.jetty.http2.api.Session;
import org.eclipse.jetty.http2.api.Stream;
import org.eclipse.jetty.http2.client.HTTP2Client;
import org.eclipse.jetty.http2.frames.GoAwayFrame;
import org.eclipse.jetty.http2.frames.HeadersFrame;
import org.eclipse.jetty.http2.frames.ResetFrame;
import org.eclipse.jetty.io.ClientConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.Promise;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/**
 * Parallel ranges on HTTP/2 connections, by Jetty's client with its own flow-control windows: 16
 * MiB for a connection, 8 MiB for a stream. As soon as one range is complete the next is asked for.
 *
 * @param streams open at any time on each connection
 * @param length of each range, in bytes
 */
record Http2Streams(
    String name, String description, Metric primary, int connections, int streams, long length)
    implements Scenario {
  private static final int INPUT_LENGTH = 256 * 1024;

  /** Large ranges that have to share. */
  static Http2Streams onOneConnection(int streams, long length) {
    return new Http2Streams(
        "h2-" + streams,
        "%d ranges of %d MB at a time on one HTTP/2 connection"
            .formatted(streams, length / 1_000_000),
        Metric.THROUGHPUT,
        1,
        streams,
        length);
  }

  @Override
  public Door door() {
    return Door.HTTP2;
  }

  @Override
  public Round run(Target target, ServerProbe probe, RoundSettings settings) {
    long anonymousBefore = probe.anonymousBytes();
    HTTP2Client client = client(target, settings);
    try {
      client.start();
      try {
        Load load = new Load(target, settings);
        for (int i = 0; i < connections; i++) {
          load.connect(client);
        }
        load.sleep(Duration.ofMillis(300));
        load.reset();
        Window window = Window.open(settings, probe, anonymousBefore);
        load.sleep(settings.duration());
        return window.close(load.total(), Map.of());
      } finally {
        client.stop();
      }
    } catch (WrongBytesException e) {
      throw e;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted", e);
    } catch (Exception e) {
      // Jetty's life cycle declares no less.
      throw new IllegalStateException("The HTTP/2 client failed: " + e.getMessage(), e);
    }
  }

  private static HTTP2Client client(Target target, RoundSettings settings) {
    ClientConnector connector = new ClientConnector();
    QueuedThreadPool threads = new QueuedThreadPool(8);
    threads.setName("h2-client");
    connector.setExecutor(threads);
    connector.setSelectors(1);
    connector.setIdleTimeout(settings.stall());
    if (target.tls()) {
      // The certificate was made for this run, and nobody vouches for it.
      connector.setSslContextFactory(new SslContextFactory.Client(true));
    }
    HTTP2Client client = new HTTP2Client(connector);
    client.setInputBufferSize(INPUT_LENGTH);
    return client;
  }

  /** What the connections share. Thread-safe. */
  private final class Load implements Session.Listener {
    private final Target target;
    private final RoundSettings settings;
    private final SplittableRandom random;
    private final Tally tally = new Tally();
    private final AtomicReference<Optional<WrongBytesException>> wrong =
        new AtomicReference<>(Optional.empty());
    private volatile boolean over;

    Load(Target target, RoundSettings settings) {
      this.target = target;
      this.settings = settings;
      this.random = settings.random(0);
    }

    void connect(HTTP2Client client) throws InterruptedException {
      try {
        Session session =
            (target.tls()
                    ? client.connect(
                        client.getClientConnector().getSslContextFactory(), target.address(), this)
                    : client.connect(target.address(), this))
                .get(settings.stall().toMillis(), TimeUnit.MILLISECONDS);
        for (int i = 0; i < streams; i++) {
          ask(session);
        }
      } catch (ExecutionException | TimeoutException e) {
        failed("connect", "cannot connect: " + e);
      }
    }

    void sleep(Duration duration) throws InterruptedException {
      long end = System.nanoTime() + duration.toNanos();
      for (long left = duration.toNanos(); left > 0; left = end - System.nanoTime()) {
        Thread.sleep(Duration.ofNanos(Math.min(left, 20_000_000)));
        if (wrong.get().isPresent()) {
          throw wrong.get().get();
        }
      }
    }

    void reset() {
      synchronized (tally) {
        // What failed before the measured time, such as the connection, is a failure of the round.
        if (tally.failures().isEmpty()) {
          tally.reset();
        }
      }
    }

    Tally total() {
      over = true;
      Tally total = new Tally();
      synchronized (tally) {
        total.add(tally);
      }
      return total;
    }

    private void failed(String kind, String message) {
      if (over) {
        return;
      }
      synchronized (tally) {
        tally.failed(new Failure(kind, target + ": " + message));
      }
    }

    private ByteSpan nextSpan() {
      synchronized (random) {
        return ByteSpan.at(random, length, settings.content().length());
      }
    }

    private void ask(Session session) {
      if (over || session.isClosed()) {
        return;
      }
      ByteSpan span = nextSpan();
      HttpFields.Mutable fields = HttpFields.build();
      fields.put(HttpHeader.RANGE, "bytes=" + span.position() + "-" + (span.end() - 1));
      if (!target.authorization().isEmpty()) {
        fields.put(HttpHeader.AUTHORIZATION, target.authorization());
      }
      MetaData.Request request =
          new MetaData.Request("GET", HttpURI.from(target.uri()), HttpVersion.HTTP_2, fields);
      session.newStream(
          new HeadersFrame(request, null, true),
          new Promise<>() {
            @Override
            public void failed(Throwable failure) {
              Load.this.failed("stream", "no stream could be opened: " + failure);
            }
          },
          new Range(span, System.nanoTime()));
    }

    @Override
    public void onGoAway(Session session, GoAwayFrame frame) {
      failed(
          "go away",
          "the server ends the connection: " + ErrorCode.toString(frame.getError(), "?"));
    }

    @Override
    public void onFailure(Session session, Throwable failure, Callback callback) {
      failed("broken", "the connection broke: " + failure);
      callback.succeeded();
    }

    /** One range on one stream. Jetty calls it by one thread at a time. */
    private final class Range implements Stream.Listener {
      private final ByteSpan span;
      private final long began;
      private long received;
      private boolean answered;

      Range(ByteSpan span, long began) {
        this.span = span;
        this.began = began;
      }

      @Override
      public void onHeaders(Stream stream, HeadersFrame frame) {
        if (!(frame.getMetaData() instanceof MetaData.Response response)) {
          stream.demand();
          return;
        }
        String expected =
            "bytes " + span.position() + "-" + (span.end() - 1) + "/" + settings.content().length();
        if (response.getStatus() != 206) {
          failed(
              "status " + response.getStatus(), "status " + response.getStatus() + " for " + span);
          stream.reset(
              new ResetFrame(stream.getId(), ErrorCode.CANCEL_STREAM_ERROR.code), Callback.NOOP);
          return;
        }
        HttpField contentRange = response.getHttpFields().getField(HttpHeader.CONTENT_RANGE);
        if (contentRange == null || !contentRange.getValue().equals(expected)) {
          failed("wrong range", "the Content-Range is not " + expected);
          stream.reset(
              new ResetFrame(stream.getId(), ErrorCode.CANCEL_STREAM_ERROR.code), Callback.NOOP);
          return;
        }
        answered = true;
        if (frame.isEndStream()) {
          ended(stream);
        } else {
          stream.demand();
        }
      }

      @Override
      public void onDataAvailable(Stream stream) {
        while (true) {
          Stream.Data data = stream.readData();
          if (data == null) {
            stream.demand();
            return;
          }
          boolean end = data.frame().isEndStream();
          int n = data.frame().remaining();
          boolean tooLong = received + n > span.length();
          long differs =
              n == 0 || tooLong || !answered
                  ? -1
                  : settings
                      .content()
                      .mismatch(data.frame().getByteBuffer(), span.position() + received);
          data.release();
          if (differs >= 0) {
            wrong.set(
                Optional.of(
                    new WrongBytesException(
                        "%s sent a wrong byte at position %d, in its answer to %s"
                            .formatted(target, differs, span))));
            return;
          }
          received += n;
          synchronized (tally) {
            tally.received(n);
          }
          if (tooLong) {
            failed("unasked bytes", "bytes came after the end of the body");
            return;
          }
          if (end) {
            ended(stream);
            return;
          }
        }
      }

      private void ended(Stream stream) {
        if (received != span.length()) {
          failed("short body", "the stream ended after " + received + " of " + span.length());
        } else {
          synchronized (tally) {
            tally.completed(System.nanoTime() - began);
          }
        }
        ask(stream.getSession());
      }

      @Override
      public void onReset(Stream stream, ResetFrame frame, Callback callback) {
        failed("reset", "the stream was reset: " + ErrorCode.toString(frame.getError(), "?"));
        callback.succeeded();
      }

      @Override
      public void onFailure(
          Stream stream, int error, String reason, Throwable failure, Callback callback) {
        failed("stream", "the stream failed: " + failure);
        callback.succeeded();
      }
    }
  }
}
