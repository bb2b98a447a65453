package io.artifactserver.rest.console;

import io.artifactserver.core.catalog.CatalogUnavailableException;
import io.artifactserver.rest.log.FailureLog;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.LoggerFactory;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/**
 * Tells open pages once a second what is new. What several pages show is found out once. A page
 * that takes nothing keeps a thread of its own, and gets the newest when it takes again.
 * Thread-safe.
 */
@Component
public final class LiveEvents implements SmartLifecycle {
  /** Each has a connection, and a thread of some kilobytes. */
  static final int MAX_PAGES = 128;

  /** Of one caller, so that others can look, too. */
  static final int MAX_PAGES_OF_CALLER = MAX_PAGES / 2;

  private static final long PERIOD_MILLIS = 1000;

  /** Then the page comes again, if it is still open. */
  private static final Duration LIFETIME = Duration.ofMinutes(10);

  /** How often a token is looked at again. */
  private static final Duration CHECK = Duration.ofSeconds(5);

  private static final Duration RECONNECT = Duration.ofSeconds(2);

  /** Names of events. */
  private static final String FIRST = "first";

  private static final String NOW = "now";

  private static final FailureLog FAILURES =
      new FailureLog(LoggerFactory.getLogger(LiveEvents.class));

  private final Traffic traffic;
  private final Set<OpenPage> pages = ConcurrentHashMap.newKeySet();
  private final ScheduledExecutorService ticks =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("console-live").factory());
  private volatile boolean isRunning;

  /**
   * @param traffic of the server, which is looked at once a second
   */
  public LiveEvents(Traffic traffic) {
    this.traffic = traffic;
  }

  /** Something that pages show as it happens. Pages with equal subjects are told the same. */
  public interface Subject {
    /** Returns what a page that opens has to know first, as JSON. May block. */
    default String first() {
      return now();
    }

    /** Returns what is new, as JSON. May block. */
    String now();
  }

  /**
   * Begins to tell a page.
   *
   * @param caller id of the visitor
   * @param mayLook whether the visitor may still look, asked now and then, on a thread that may
   *     block
   * @param leave ends the request of a page that was closed
   * @return empty if too many are open already, or the server is about to stop
   */
  synchronized Optional<SseEmitter> open(
      Subject subject, String caller, BooleanSupplier mayLook, Runnable leave) {
    if (!isRunning
        || pages.size() >= MAX_PAGES
        || pages.stream().filter(each -> each.caller.equals(caller)).count()
            >= MAX_PAGES_OF_CALLER) {
      return Optional.empty();
    }
    OpenPage page = new OpenPage(subject, caller, mayLook, leave);
    pages.add(page);
    page.emitter.onCompletion(page::end);
    Thread.ofVirtual().name("console-page").start(page::run);
    return Optional.of(page.emitter);
  }

  private void tick() {
    try {
      traffic.sample();
      Map<Subject, String> news = new HashMap<>();
      for (OpenPage page : pages) {
        page.offer(news.computeIfAbsent(page.subject, Subject::now));
      }
    } catch (CatalogUnavailableException e) {
      FAILURES.failed("Open pages of the console wait for the database", e);
    } catch (RuntimeException e) {
      // The next second is another one.
      FAILURES.failed("Open pages of the console were told nothing", e);
    }
  }

  @Override
  public void start() {
    isRunning = true;
    var _ =
        ticks.scheduleAtFixedRate(this::tick, PERIOD_MILLIS, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
  }

  @Override
  public synchronized void stop() {
    isRunning = false;
    ticks.shutdownNow();
    pages.forEach(OpenPage::end);
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

  /** A page that somebody looks at. Thread-safe. */
  private final class OpenPage {
    private final Subject subject;
    private final String caller;
    private final BooleanSupplier mayLook;
    private final Runnable leave;
    private final SseEmitter emitter = new SseEmitter(0L);
    private final long endNanos = System.nanoTime() + LIFETIME.toNanos();

    // Guarded by this object.
    private String waiting = "";
    private boolean isOver;

    private OpenPage(Subject subject, String caller, BooleanSupplier mayLook, Runnable leave) {
      this.subject = subject;
      this.caller = caller;
      this.mayLook = mayLook;
      this.leave = leave;
    }

    private synchronized void offer(String news) {
      waiting = news;
      notifyAll();
    }

    private synchronized void end() {
      isOver = true;
      notifyAll();
    }

    private void run() {
      try {
        emitter.send(
            SseEmitter.event()
                .reconnectTime(RECONNECT.toMillis())
                .name(FIRST)
                .data(subject.first()));
        long checkedNanos = System.nanoTime();
        while (true) {
          String news = take();
          long now = System.nanoTime();
          if (now - checkedNanos >= CHECK.toNanos()) {
            checkedNanos = now;
            if (!mayLook.getAsBoolean()) {
              break;
            }
          }
          if (isOver()) {
            break;
          }
          emitter.send(
              news.isEmpty()
                  ? SseEmitter.event().comment("alive")
                  : SseEmitter.event().name(NOW).data(news));
        }
        emitter.complete();
      } catch (IOException | IllegalStateException e) {
        leave.run();
      } catch (CatalogUnavailableException e) {
        // The page comes again.
        emitter.complete();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } finally {
        pages.remove(this);
      }
    }

    /** Waits for the next news; returns nothing if the page is over, or there are none for long. */
    private synchronized String take() throws InterruptedException {
      long end = System.nanoTime() + CHECK.toNanos();
      while (waiting.isEmpty() && !isOver() && System.nanoTime() - end < 0) {
        wait(PERIOD_MILLIS);
      }
      String taken = waiting;
      waiting = "";
      return taken;
    }

    private synchronized boolean isOver() {
      return isOver || System.nanoTime() - endNanos > 0;
    }
  }
}
