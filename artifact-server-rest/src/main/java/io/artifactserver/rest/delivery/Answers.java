package io.artifactserver.rest.delivery;

import io.artifactserver.core.catalog.UsedPath;
import io.artifactserver.rest.access.Credentials;
import io.artifactserver.rest.delivery.address.DerivedName;
import io.artifactserver.rest.delivery.address.Target;
import io.artifactserver.rest.delivery.answer.Download;
import io.artifactserver.rest.delivery.answer.JettyRequestFields;
import io.artifactserver.rest.delivery.answer.ResponseEmitter;
import io.artifactserver.rest.delivery.pace.Throttles;
import io.artifactserver.rest.delivery.repeat.RepeatedDownloads;
import io.artifactserver.rest.delivery.report.Deliveries;
import io.artifactserver.rest.delivery.report.Deliveries.Delivery;
import io.artifactserver.rest.delivery.resolve.RequestCredentials;
import io.artifactserver.rest.delivery.resolve.Resolution;
import io.artifactserver.rest.delivery.resolve.Served;
import io.artifactserver.rest.front.Exchange;
import io.artifactserver.rest.front.ProblemWriter;
import io.artifactserver.rest.http.PartsOfOneVersion;
import io.artifactserver.rest.problem.Problems;
import java.util.Objects;
import java.util.function.Consumer;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ProblemDetail;

/** Answers downloads once it is known what they ask for. Thread-safe; nothing blocks. */
record Answers(
    ResponseEmitter emitter,
    RepeatedDownloads repeatedDownloads,
    Deliveries deliveries,
    Throttles throttles,
    RequestCredentials credentials,
    PollAnswers polls,
    ProblemWriter problems,
    DownloadPlans plans) {
  /**
   * A request for a download. Immutable.
   *
   * @param throttle its limits; null until it is known to be a download
   */
  record Asked(
      Exchange exchange,
      Target target,
      Credentials credentials,
      Throttles.@Nullable OfDownload throttle) {}

  /**
   * Answers with what was found.
   *
   * @param isRepeatable whether its connection may answer the same request again by itself
   * @param again answers from the beginning when the download has waited for its turn: what it
   *     names may be deleted by then, and its token taken away
   */
  void answer(Asked asked, Resolution resolution, boolean isRepeatable, Consumer<Asked> again) {
    Exchange exchange = asked.exchange();
    switch (resolution) {
      case Resolution.Found(Served served) -> {
        Delivery delivery =
            deliveries.of(exchange.request(), asked.target(), asked.credentials(), served);
        if (isRepeatable && isOfOneVersion(exchange.request(), asked.target())) {
          repeatedDownloads.offer(
              exchange.request(), asked.target(), asked.credentials(), served, delivery);
        }
        serve(asked, served, delivery, again);
      }
      case Resolution.Followed followed ->
          serve(
              asked,
              followed.served(),
              deliveries.ofStage(exchange.request(), asked.target(), asked.credentials(), followed),
              again);
      case Resolution.Elsewhere(String address) -> redirect(exchange, address);
      case Resolution.Offered offered -> polls.offer(asked, offered);
      case Resolution.Nothing(boolean isWaiting) -> polls.nothing(asked, isWaiting);
      case Resolution.NotReady _ ->
          problems.write(exchange, Problems.notReady(), ProblemWriter.RETRY);
      case Resolution.Gone(UsedPath used) ->
          problems.write(exchange, Problems.gone(used), HttpFields.EMPTY);
      case Resolution.NotFound _ -> problems.write(exchange, Problems.notFound(), fields(asked));
      case Resolution.Throttled _ -> {
        // desync tries again after a 503, and gives up at a 429.
        String path = Objects.requireNonNullElse(exchange.request().getHttpURI().getPath(), "");
        ProblemDetail problem = Problems.tooManyWrongSecrets();
        if (path.contains(DerivedName.STORE_SUFFIX + '/')) {
          problem.setStatus(HttpStatus.SERVICE_UNAVAILABLE_503);
        }
        problems.write(exchange, problem, fields(asked));
      }
      case Resolution.Unauthorized _ ->
          problems.write(
              exchange,
              credentials.unauthorized(exchange.request(), asked.credentials()),
              fields(asked));
      case Resolution.Failed(ProblemDetail problem) ->
          problems.write(exchange, problem, fields(asked));
    }
  }

  /** Returns what every answer to the request has, failures too. */
  HttpFields fields(Asked asked) {
    return polls.fields(asked.target());
  }

  /**
   * @param delivery to be told what the device is sent; null if nobody is
   */
  private void serve(
      Asked asked, Served served, @Nullable Delivery delivery, Consumer<Asked> again) {
    Exchange exchange = asked.exchange();
    Request request = exchange.request();
    Target target = asked.target();
    Credentials shown = asked.credentials();
    Throttles.OfDownload throttle =
        asked.throttle() == null ? throttles.of(request, target, shown) : asked.throttle();
    emitter.emit(
        new Download(
            exchange,
            served,
            plans.of(request, target, served),
            delivery,
            throttle,
            turn -> again.accept(new Asked(turn, target, shown, throttle))));
  }

  /** Answers with something that everybody may have, as fast as it goes. */
  void answer(Exchange exchange, Served served) {
    emitter.emit(Download.of(exchange, served, plans.of(exchange.request(), served)));
  }

  /** Whether each further range that the same request asks for is of the same bytes. */
  private static boolean isOfOneVersion(Request request, Target target) {
    return !(target instanceof Target.OfChannel)
        || PartsOfOneVersion.isNamed(new JettyRequestFields(request.getHeaders()));
  }

  private static void redirect(Exchange exchange, String address) {
    exchange.response().setStatus(HttpStatus.FOUND_302);
    exchange
        .response()
        .getHeaders()
        .put(HttpHeader.LOCATION, address)
        .put(HttpHeader.CACHE_CONTROL, "no-store")
        .put(HttpHeader.CONTENT_LENGTH, 0);
    exchange.endWithoutBody();
  }
}
