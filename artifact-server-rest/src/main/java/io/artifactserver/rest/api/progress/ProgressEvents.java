package io.artifactserver.rest.api.progress;

import io.artifactserver.core.progress.DeviceProgress;
import io.artifactserver.core.progress.ProgressStore.Addition;
import io.artifactserver.core.progress.ProgressSubject;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/**
 * Tells those who listen what devices have of an artifact, whenever the database has got more of
 * it. A listener that takes nothing keeps a thread of its own, which costs little, and at most so
 * many devices; it is sent the latest of each. Thread-safe.
 */
@Component
public final class ProgressEvents implements SmartLifecycle {
  /** Each has a connection, and a thread of some kilobytes. */
  static final int MAX_LISTENERS = 64;

  /** Most of one caller, so that others can listen, too. */
  static final int MAX_LISTENERS_OF_CALLER = MAX_LISTENERS / 4;

  /** Most devices that wait to be sent to a listener; a slower listener has to connect again. */
  static final int MAX_WAITING = 10_000;

  /** Nobody on the way takes the connection for dead. */
  private static final Duration HEARTBEAT = Duration.ofSeconds(15);

  /** Then the client comes again, if it is still there. */
  private static final Duration LIFETIME = Duration.ofMinutes(10);

  private static final Duration RECONNECT = Duration.ofSeconds(2);

  private final Set<Listener> listeners = ConcurrentHashMap.newKeySet();
  private volatile boolean isRunning;

  /**
   * Begins to tell of a subject.
   *
   * @param caller id of the one who listens
   * @param mayListen whether the client may still listen, asked before it is told anything, on a
   *     thread that may block
   * @param view of a device's progress, as it is sent
   * @param leave ends the request of a client that has gone: Spring leaves that to the container,
   *     which has no reason to look at it
   * @return empty if too many listen already, of all or of this caller, or the server is about to
   *     stop
   */
  synchronized Optional<SseEmitter> open(
      ProgressSubject subject,
      String caller,
      BooleanSupplier mayListen,
      Function<DeviceProgress, Object> view,
      Runnable leave) {
    if (!isRunning
        || listeners.size() >= MAX_LISTENERS
        || listeners.stream().filter(each -> each.caller.equals(caller)).count()
            >= MAX_LISTENERS_OF_CALLER) {
      return Optional.empty();
    }
    Listener listener = new Listener(subject, caller, mayListen, view, leave);
    listeners.add(listener);
    listener.emitter.onCompletion(listener::end);
    Thread.ofVirtual().name("progress-events").start(listener::run);
    return Optional.of(listener.emitter);
  }

  /** Ends the request of a listener that has gone. */
  public static void leave(HttpServletRequest request) {
    try {
      request.getAsyncContext().complete();
    } catch (IllegalStateException e) {
      // It has ended already.
    }
  }

  /** Tells of what the database has got. Does not block. */
  void written(List<Addition> rows) {
    listeners.forEach(listener -> listener.offer(rows));
  }

  @Override
  public void start() {
    isRunning = true;
  }

  @Override
  public synchronized void stop() {
    isRunning = false;
    listeners.forEach(Listener::end);
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

  /** One who listens. Thread-safe. */
  private final class Listener {
    private final ProgressSubject subject;
    private final String caller;
    private final BooleanSupplier mayListen;
    private final Function<DeviceProgress, Object> view;
    private final Runnable leave;
    private final SseEmitter emitter = new SseEmitter(0L);
    private final long endNanos = System.nanoTime() + LIFETIME.toNanos();

    // Guarded by this object.
    private Map<String, DeviceProgress> waiting = new LinkedHashMap<>();
    private boolean isOver;

    private Listener(
        ProgressSubject subject,
        String caller,
        BooleanSupplier mayListen,
        Function<DeviceProgress, Object> view,
        Runnable leave) {
      this.subject = subject;
      this.caller = caller;
      this.mayListen = mayListen;
      this.view = view;
      this.leave = leave;
    }

    private synchronized void offer(List<Addition> rows) {
      for (Addition row : rows) {
        if (row.subject().equals(subject)) {
          waiting.put(row.progress().device(), row.progress());
        }
      }
      isOver |= waiting.size() > MAX_WAITING;
      notifyAll();
    }

    private synchronized void end() {
      isOver = true;
      notifyAll();
    }

    private void run() {
      try {
        emitter.send(SseEmitter.event().reconnectTime(RECONNECT.toMillis()).comment("begin"));
        while (true) {
          Map<String, DeviceProgress> taken = take();
          if (isOver() || !mayListen.getAsBoolean()) {
            break;
          }
          for (DeviceProgress progress : taken.values()) {
            emitter.send(SseEmitter.event().name("progress").data(view.apply(progress)));
          }
          if (taken.isEmpty()) {
            emitter.send(SseEmitter.event().comment("alive"));
          }
        }
        emitter.complete();
      } catch (IOException | IllegalStateException e) {
        leave.run();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } finally {
        listeners.remove(this);
      }
    }

    /** Waits for something to tell; returns nothing when it is time for a sign of life. */
    private synchronized Map<String, DeviceProgress> take() throws InterruptedException {
      long beginNanos = System.nanoTime();
      Duration left = HEARTBEAT;
      while (waiting.isEmpty() && !isOver && left.toMillis() > 0) {
        wait(left.toMillis());
        left = HEARTBEAT.minusNanos(System.nanoTime() - beginNanos);
      }
      Map<String, DeviceProgress> taken = waiting;
      waiting = new LinkedHashMap<>();
      return taken;
    }

    private synchronized boolean isOver() {
      return isOver || System.nanoTime() - endNanos > 0;
    }
  }
}
