package io.artifactserver.rest.api.events;

import io.artifactserver.core.catalog.CatalogUnavailableException;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.http.server.ServerHttpResponse;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter.SseEventBuilder;

/**
 * Server-sent events for at most so many clients. Each has a virtual thread of its own: a client
 * that takes nothing holds up nobody, and gets the latest of each thing when it takes again. A
 * stream ends after ten minutes, and its client comes again. Thread-safe.
 *
 * @param <S> what a client follows
 * @param <T> what it is told
 */
public final class EventStreams<S, T> implements SmartLifecycle {
  /** Nobody on the way takes the connection for dead. */
  private static final Duration HEARTBEAT = Duration.ofSeconds(15);

  private static final Duration LIFETIME = Duration.ofMinutes(10);
  private static final Duration RECONNECT = Duration.ofSeconds(2);

  private final String threads;
  private final Bounds bounds;
  private final Set<Stream> streams = ConcurrentHashMap.newKeySet();
  private volatile boolean isRunning;

  /**
   * @param threads their name
   */
  public EventStreams(String threads, Bounds bounds) {
    this.threads = threads;
    this.bounds = bounds;
  }

  /**
   * Begins to tell a client.
   *
   * @param first what it is told at once; made on the stream's thread, which may block
   * @param event news as they are sent; made on the stream's thread
   * @return empty if there are too many streams already, of all or of this caller, or the server is
   *     about to stop
   */
  public synchronized Optional<SseEmitter> open(
      S subject,
      Follower follower,
      Supplier<SseEventBuilder> first,
      Function<T, SseEventBuilder> event) {
    if (!isRunning
        || streams.size() >= bounds.streams
        || streams.stream().filter(each -> each.follower.caller().equals(follower.caller())).count()
            >= bounds.streamsOfCaller) {
      return Optional.empty();
    }
    Stream stream = new Stream(subject, follower, first, event);
    streams.add(stream);
    stream.emitter.onCompletion(stream::end);
    Thread.ofVirtual().name(threads).start(stream::run);
    return Optional.of(stream.emitter);
  }

  /** Returns what somebody follows. */
  public Set<S> subjects() {
    return streams.stream().map(each -> each.subject).collect(Collectors.toSet());
  }

  /**
   * Tells all who follow a subject. Does not block.
   *
   * @param about the part of the subject: news of the same part replace those that wait
   */
  public void tell(S subject, String about, T news) {
    for (Stream stream : streams) {
      if (stream.subject.equals(subject)) {
        stream.offer(about, news);
      }
    }
  }

  /** The limits of all streams together. */
  public Bounds bounds() {
    return bounds;
  }

  @Override
  public void start() {
    isRunning = true;
  }

  @Override
  public synchronized void stop() {
    isRunning = false;
    streams.forEach(Stream::end);
  }

  @Override
  public boolean isRunning() {
    return isRunning;
  }

  /** Before the server waits for the requests that it still answers: these would never end. */
  @Override
  public int getPhase() {
    return WebServerApplicationContext.GRACEFUL_SHUTDOWN_PHASE + 1;
  }

  /**
   * Limits. Immutable.
   *
   * @param streams at a time: each has a connection, and a thread of some kilobytes
   * @param streamsOfCaller of one caller, so that others can follow, too
   * @param waiting news for one client; a slower one has to connect again
   */
  public record Bounds(int streams, int streamsOfCaller, int waiting) {}

  /** One client. Thread-safe. */
  private final class Stream {
    private final S subject;
    private final Follower follower;
    private final Supplier<SseEventBuilder> first;
    private final Function<T, SseEventBuilder> event;
    private final SseEmitter emitter = new UnbufferedEmitter();
    private final long endNanos = System.nanoTime() + LIFETIME.toNanos();

    // Guarded by this object.
    private Map<String, T> waiting = new LinkedHashMap<>();
    private boolean isOver;

    private Stream(
        S subject,
        Follower follower,
        Supplier<SseEventBuilder> first,
        Function<T, SseEventBuilder> event) {
      this.subject = subject;
      this.follower = follower;
      this.first = first;
      this.event = event;
    }

    private synchronized void offer(String about, T news) {
      waiting.put(about, news);
      isOver |= waiting.size() > bounds.waiting;
      notifyAll();
    }

    private synchronized void end() {
      isOver = true;
      notifyAll();
    }

    private void run() {
      try {
        emitter.send(first.get().reconnectTime(RECONNECT.toMillis()));
        while (true) {
          Map<String, T> taken = take();
          if (isOver() || !follower.mayFollow().getAsBoolean()) {
            break;
          }
          for (T news : taken.values()) {
            emitter.send(event.apply(news));
          }
          if (taken.isEmpty()) {
            emitter.send(SseEmitter.event().comment("alive"));
          }
        }
        emitter.complete();
      } catch (IOException | IllegalStateException e) {
        follower.leave().run();
      } catch (CatalogUnavailableException e) {
        // The client comes again.
        emitter.complete();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } finally {
        streams.remove(this);
      }
    }

    /** Waits for something to tell; returns nothing when it is time for a sign of life. */
    private synchronized Map<String, T> take() throws InterruptedException {
      long beginNanos = System.nanoTime();
      Duration left = HEARTBEAT;
      while (waiting.isEmpty() && !isOver && left.toMillis() > 0) {
        wait(left.toMillis());
        left = HEARTBEAT.minusNanos(System.nanoTime() - beginNanos);
      }
      Map<String, T> taken = waiting;
      waiting = new LinkedHashMap<>();
      return taken;
    }

    private synchronized boolean isOver() {
      return isOver || System.nanoTime() - endNanos > 0;
    }
  }

  /** Tells a proxy that keeps answers back, as nginx does, to pass each event on as it comes. */
  private static final class UnbufferedEmitter extends SseEmitter {
    private UnbufferedEmitter() {
      super(0L);
    }

    @Override
    protected void extendResponse(ServerHttpResponse response) {
      super.extendResponse(response);
      response.getHeaders().set("X-Accel-Buffering", "no");
    }
  }
}
