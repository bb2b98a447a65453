package io.artifactserver.rest.front;

import java.util.concurrent.atomic.LongAdder;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.StatisticsHandler;
import org.eclipse.jetty.util.Callback;

/**
 * Counts the requests that a graceful stop waits for, and nothing else. Spring Boot asks a {@link
 * StatisticsHandler} for them; Jetty's own wraps request and response, copies the fields of both
 * and keeps eight more statistics, which took 3 % of the processor time of a 4 KiB range.
 * Thread-safe.
 */
public final class ActiveRequests extends StatisticsHandler {
  private final LongAdder active = new LongAdder();

  /**
   * @param handler answers the requests
   */
  public ActiveRequests(Handler handler) {
    setHandler(handler);
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) throws Exception {
    // A stop that waited for those who come while it waits might never end.
    if (!request.getConnectionMetaData().getConnector().isShutdown()) {
      begin();
      Request.addCompletionListener(request, _ -> end());
    }
    return getHandler().handle(request, response, callback);
  }

  /** One more, which no handler sees. */
  public void begin() {
    active.increment();
  }

  /** One less. */
  public void end() {
    active.decrement();
  }

  @Override
  public int getRequestsActive() {
    return active.intValue();
  }
}
