package io.artifactserver.rest.endtoend;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** An operator's client that goes on after restarts of the server. Used by one thread. */
final class ChaosClient implements AutoCloseable {
  private final ChaosSite site;
  private final int number;
  private final ChaosReport report;
  private @Nullable Operator operator;
  private int connectedAt;

  /**
   * @param number of this client, which says what it speaks
   */
  ChaosClient(ChaosSite site, int number, ChaosReport report) {
    this.site = site;
    this.number = number;
    this.report = report;
  }

  /** A request that may be sent again. */
  interface Request<T> {
    HttpResponse<T> send(Operator operator) throws IOException, InterruptedException;
  }

  /**
   * Sends a request when the server is up.
   *
   * @return empty if the server was stopped or killed before it answered, so that nobody knows
   *     whether it did what it was asked for
   * @throws AssertionError if there is no answer although the server ran
   */
  <T> Optional<HttpResponse<T>> ask(Request<T> request) throws IOException, InterruptedException {
    int moment = site.awaitUp();
    Operator connected = connected(moment);
    try {
      HttpResponse<T> answer = request.send(connected);
      if (answer.statusCode() != 503 || !site.isInterrupted(moment)) {
        return Optional.of(answer);
      }
    } catch (IOException e) {
      if (!site.isInterrupted(moment)) {
        throw new AssertionError("An operator got no answer, and the server ran: " + e, e);
      }
    }
    report.answer("unacknowledged");
    return Optional.empty();
  }

  /** Sends a request until it is answered. */
  <T> HttpResponse<T> insist(Request<T> request) throws IOException, InterruptedException {
    Optional<HttpResponse<T>> answer = ask(request);
    while (answer.isEmpty()) {
      answer = ask(request);
    }
    return answer.get();
  }

  /**
   * @throws AssertionError if the answer has another status
   */
  static void require(int status, HttpResponse<?> answer) {
    if (answer.statusCode() != status) {
      throw new AssertionError(
          "%s is answered with %d, not %d: %s"
              .formatted(
                  answer.request(),
                  answer.statusCode(),
                  status,
                  answer.body() instanceof String text ? text : ""));
    }
  }

  @Override
  public void close() {
    if (operator != null) {
      operator.close();
    }
  }

  /** A client keeps its connections, which end with the process. */
  private Operator connected(int moment) throws IOException, InterruptedException {
    Operator known = operator;
    if (known == null || connectedAt != moment) {
      close();
      known = site.endpoint(number).operator();
      operator = known;
      connectedAt = moment;
    }
    return known;
  }
}
