package io.artifactserver.rest.server.shutdown;

import io.artifactserver.rest.server.guard.Connections;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;

/**
 * How the server stops. Readiness is down already when this is the first to be stopped: it waits
 * for load balancers to notice, while everything is served. Then nothing is changed any more, every
 * answer closes its connection, and the requests that are under way get their time; an answer that
 * began before ends its connection too, though it could not say so. Newcomers are answered until
 * all have ended. A second signal ends them.
 */
@Component
final class GracefulStop implements SmartLifecycle {
  private static final Logger LOG = LoggerFactory.getLogger(GracefulStop.class);

  private final Duration delay;
  private final Connections connections;

  /** Complete when the delay is over, or not wanted. */
  private final CompletableFuture<@Nullable Void> delayed = new CompletableFuture<>();

  private volatile boolean isRunning;

  GracefulStop(ShutdownProperties properties, Connections connections) {
    this.delay = properties.delay();
    this.connections = connections;
  }

  @Override
  public void start() {
    isRunning = true;
    StopSignals.install(this::hurry);
  }

  @Override
  public void stop(Runnable callback) {
    isRunning = false;
    LOG.info("Stopping with {} open connections. Another signal closes them.", connections.count());
    var _ =
        delayed.completeOnTimeout(null, delay.toMillis(), TimeUnit.MILLISECONDS).thenRun(callback);
  }

  @Override
  public void stop() {
    stop(() -> {});
  }

  @Override
  public boolean isRunning() {
    return isRunning;
  }

  /** Before the web server, and everything else. */
  @Override
  public int getPhase() {
    return Integer.MAX_VALUE;
  }

  private void hurry() {
    LOG.warn("A second signal: closing {} connections", connections.count());
    delayed.complete(null);
    connections.endAll();
  }
}
