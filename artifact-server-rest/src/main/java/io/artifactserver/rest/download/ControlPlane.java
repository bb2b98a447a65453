package io.artifactserver.rest.download;

import io.artifactserver.rest.audit.AuditDetails;
import io.artifactserver.rest.auth.Authentication;
import io.artifactserver.rest.auth.Authenticator;
import io.artifactserver.rest.auth.BearerAuthenticationFilter;
import io.artifactserver.rest.auth.Credentials;
import io.artifactserver.rest.connection.Connections;
import io.artifactserver.rest.problem.Problems;
import java.net.URI;
import java.util.Locale;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.ApiVersion;
import org.springframework.http.ProblemDetail;

/**
 * The way to the servlets, which block: on threads of their own, few of them for those whom nobody
 * knows yet. Who certainly may not pass is told so here, at the cost of no thread. Thread-safe.
 */
public final class ControlPlane extends Handler.Wrapper {
  /** Longer responses make their thread wait for the client; all that strangers get are shorter. */
  private static final int MAX_GATHERED = 256 * 1024;

  private static final HttpFields BEARER =
      HttpFields.build().add(HttpHeader.WWW_AUTHENTICATE, Authenticator.BEARER_CHALLENGE);

  private static final String REQUEST_ID = "X-Request-Id";
  private static final Pattern REQUEST_ID_FORM = Pattern.compile("[A-Za-z0-9._-]{1,64}");

  private final Authenticator authenticator;
  private final Predicate<String> isOpen;
  private final ProblemWriter problems;
  private final Executor operators;
  private final Lookups strangers;
  private final HealthAnswers health;
  private final Connections connections;

  /**
   * @param isOpen whether everybody may ask for the path
   * @param operators runs requests with a good token
   * @param strangers runs all others: of open paths, and with tokens that are to be looked up
   * @param connections know the client of a request
   */
  ControlPlane(
      Authenticator authenticator,
      Predicate<String> isOpen,
      ProblemWriter problems,
      Executor operators,
      Lookups strangers,
      HealthAnswers health,
      Connections connections) {
    this.authenticator = authenticator;
    this.isOpen = isOpen;
    this.problems = problems;
    this.operators = operators;
    this.strangers = strangers;
    this.health = health;
    this.connections = connections;
  }

  @Override
  public InvocationType getInvocationType() {
    return InvocationType.NON_BLOCKING;
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    Exchange exchange = new Exchange(request, response, callback);
    String method = request.getMethod();
    String path = Objects.requireNonNullElse(request.getHttpURI().getPath(), "");
    // The servlet framework would echo a TRACE, credentials included.
    if (HttpMethod.TRACE.is(method) || HttpMethod.CONNECT.is(method)) {
      refuse(exchange, Problems.methodNotImplemented(method), HttpFields.EMPTY);
      return true;
    }
    if (isFromAnotherSite(request)) {
      refuse(exchange, Problems.anotherSite(), HttpFields.EMPTY);
      return true;
    }
    String authorization =
        Objects.requireNonNullElse(request.getHeaders().get(HttpHeader.AUTHORIZATION), "");
    if (authorization.isEmpty() && HttpMethods.isGetOrHead(request) && HealthAnswers.knows(path)) {
      UnwantedBody.discard(request);
      answerHealth(exchange, path);
      return true;
    }
    String requestId = requestId(request);
    request.setAttribute(AuditDetails.REQUEST_ID, requestId);
    response.getHeaders().put(REQUEST_ID, requestId);
    Credentials credentials = Credentials.of(authorization);
    Authentication caller = authenticator.peek(credentials);
    boolean isKnown = caller instanceof Authentication.Known;
    boolean isOpenPath = isOpen.test(path);
    @Nullable Object client = connections.client(request);
    request.setAttribute(BearerAuthenticationFilter.CLIENT, client);
    boolean isThrottled =
        caller instanceof Authentication.Throttled
            || (caller instanceof Authentication.Undecided
                && authenticator.isThrottled(credentials, client));
    if (isThrottled && !isOpenPath) {
      refuse(exchange, Problems.tooManyWrongSecrets(), HttpFields.EMPTY);
      return true;
    }
    if (!isKnown && !(caller instanceof Authentication.Undecided) && !isOpenPath) {
      refuse(exchange, Problems.unauthorized(), BEARER);
      return true;
    }
    if (!HttpMethods.isGetOrHead(request)
        && isOpenPath
        && request.getHeaders().contains(HttpHeader.CONTENT_TYPE)) {
      refuse(exchange, Problems.noBodyTaken(), HttpFields.EMPTY);
      return true;
    }
    if (HttpMethods.isGetOrHead(request) || isOpenPath) {
      // What a stranger sends slowly would hold a thread.
      UnwantedBody.discard(request);
    }
    boolean isAccepted =
        isKnown
            ? accepts(() -> pass(exchange))
            : strangers.run(
                client,
                () -> {
                  pass(exchange);
                  return response.getStatus() < HttpStatus.BAD_REQUEST_400;
                });
    if (!isAccepted) {
      refuse(exchange, Problems.busy(), HttpFields.EMPTY);
    }
    return true;
  }

  /** The client's own, if it is a word; or a new one. */
  private static String requestId(Request request) {
    String sent = request.getHeaders().get(REQUEST_ID);
    return sent != null && REQUEST_ID_FORM.matcher(sent).matches()
        ? sent
        : UUID.randomUUID().toString();
  }

  private boolean accepts(Runnable ofOperator) {
    try {
      operators.execute(ofOperator);
      return true;
    } catch (RejectedExecutionException e) {
      return false;
    }
  }

  private void answerHealth(Exchange exchange, String path) {
    CompletableFuture<?> _ =
        health
            .ask(path)
            .whenComplete((answer, failure) -> {
              if (failure == null) {
                write(exchange, answer);
              } else {
                exchange.writeError(failure);
              }
            });
  }

  private static void write(Exchange exchange, HealthAnswers.Answer answer) {
    exchange.response().setStatus(answer.status());
    exchange
        .response()
        .getHeaders()
        .put(HttpHeader.CONTENT_TYPE, ApiVersion.V3.getProducedMimeType().toString())
        .put(HttpHeader.CONTENT_LENGTH, answer.json().length)
        .put(HttpHeader.CACHE_CONTROL, "no-store")
        .put("X-Content-Type-Options", "nosniff");
    exchange.end(answer.json());
  }

  /**
   * Whether a page of another site made a browser send what changes something. Browsers say so
   * themselves (Fetch Metadata, section 2); older ones name the site (RFC 6454, section 7).
   */
  private static boolean isFromAnotherSite(Request request) {
    String method = request.getMethod();
    if (HttpMethods.isGetOrHead(request) || HttpMethod.OPTIONS.is(method)) {
      return false;
    }
    String site = request.getHeaders().get("Sec-Fetch-Site");
    if (site != null) {
      return !site.equals("same-origin") && !site.equals("none");
    }
    String origin = request.getHeaders().get(HttpHeader.ORIGIN);
    return origin != null && !isOwn(origin, request);
  }

  private static boolean isOwn(String origin, Request request) {
    try {
      String authority = URI.create(origin).getRawAuthority();
      return authority != null
          && authority.toLowerCase(Locale.ROOT).equals(authority(request).toLowerCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /** As the client wrote it. */
  private static String authority(Request request) {
    String host = request.getHeaders().get(HttpHeader.HOST);
    return host != null
        ? host
        : Objects.requireNonNullElse(request.getHttpURI().getAuthority(), "");
  }

  private void refuse(Exchange exchange, ProblemDetail problem, HttpFields fields) {
    UnwantedBody.discard(exchange.request());
    problems.write(exchange, problem, fields);
  }

  private void pass(Exchange exchange) {
    Request request = exchange.request();
    try {
      GatheredResponse gathered = new GatheredResponse(request, exchange.response(), MAX_GATHERED);
      if (!super.handle(request, gathered, exchange.callback())) {
        Response.writeError(
            request, exchange.response(), exchange.callback(), HttpStatus.NOT_FOUND_404);
      }
    } catch (Throwable e) {
      // As Jetty's own dispatch does: whatever a handler throws ends this request, not the thread.
      exchange.writeError(e);
    }
  }
}
