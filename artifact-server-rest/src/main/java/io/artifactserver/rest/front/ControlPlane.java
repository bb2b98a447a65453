package io.artifactserver.rest.front;

import io.artifactserver.core.access.Caller;
import io.artifactserver.core.access.Role;
import io.artifactserver.core.limit.Network;
import io.artifactserver.rest.access.Authentication;
import io.artifactserver.rest.access.Authenticator;
import io.artifactserver.rest.access.BearerAuthenticationFilter;
import io.artifactserver.rest.access.Credentials;
import io.artifactserver.rest.access.OpenPaths;
import io.artifactserver.rest.access.Sender;
import io.artifactserver.rest.access.session.Sessions;
import io.artifactserver.rest.api.artifact.FormFile;
import io.artifactserver.rest.api.artifact.UploadExchange;
import io.artifactserver.rest.api.audit.AuditDetails;
import io.artifactserver.rest.problem.Problems;
import io.artifactserver.rest.problem.UploadProblems;
import io.artifactserver.rest.server.guard.Connections;
import io.artifactserver.rest.server.guard.Holdings;
import io.artifactserver.rest.server.guard.UploadTurns;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpHeaderValue;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ProblemDetail;

/**
 * The way to the servlets, which block: on threads of their own, few of them for those whom nobody
 * knows yet. Callers that certainly may not pass are told so here, at the cost of no thread.
 * Thread-safe.
 */
public final class ControlPlane extends Handler.Wrapper {
  private static final HttpFields BEARER =
      HttpFields.build().add(HttpHeader.WWW_AUTHENTICATE, Authenticator.BEARER_CHALLENGE);

  /** The rest of a body that came in part is not read. */
  private static final HttpFields CLOSE =
      HttpFields.build().add(HttpHeader.CONNECTION, HttpHeaderValue.CLOSE);

  private static final String REQUEST_ID = "X-Request-Id";
  private static final Pattern REQUEST_ID_FORM = Pattern.compile("[A-Za-z0-9._-]{1,64}");

  private final Authenticator authenticator;
  private final OpenPaths openPaths;
  private final ProblemWriter problems;
  private final ControlThreads threads;
  private final HealthAnswers health;
  private final Connections connections;
  private final Sessions sessions;

  /**
   * @param openPaths whether everybody may ask for the path
   * @param connections know the client of a request
   * @param sessions of browsers that have signed in
   */
  ControlPlane(
      Authenticator authenticator,
      OpenPaths openPaths,
      ProblemWriter problems,
      ControlThreads threads,
      HealthAnswers health,
      Connections connections,
      Sessions sessions) {
    this.authenticator = authenticator;
    this.openPaths = openPaths;
    this.problems = problems;
    this.threads = threads;
    this.health = health;
    this.connections = connections;
    this.sessions = sessions;
  }

  @Override
  public InvocationType getInvocationType() {
    return InvocationType.NON_BLOCKING;
  }

  @Override
  public boolean handle(Request sent, Response response, Callback callback) {
    Request request = SessionRequest.of(ResumableRequest.withMethod(sent), sessions);
    Exchange exchange = new Exchange(request, response, callback);
    String method = request.getMethod();
    String path = Objects.requireNonNullElse(request.getHttpURI().getPath(), "");
    // The servlet framework would echo a TRACE, credentials included.
    if (HttpMethod.TRACE.is(method) || HttpMethod.CONNECT.is(method)) {
      refuse(exchange, Problems.methodNotImplemented(method), HttpFields.EMPTY);
      return true;
    }
    if (!HttpMethods.isGetOrHead(request)
        && !HttpMethod.OPTIONS.is(method)
        && request.getConnectionMetaData().getConnector().isShutdown()) {
      // Nothing waits for its end.
      refuse(exchange, Problems.stopping(), HttpFields.EMPTY);
      return true;
    }
    if (SameSite.isFromAnotherSite(request)) {
      refuse(exchange, Problems.anotherSite(), HttpFields.EMPTY);
      return true;
    }
    Optional<String> fault = RequestTargets.fault(request);
    if (fault.isPresent()) {
      refuse(exchange, Problems.invalidName(fault.get()), HttpFields.EMPTY);
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
    boolean isOpenPath = openPaths.test(path);
    @Nullable Object client = connections.client(request);
    request.setAttribute(BearerAuthenticationFilter.CLIENT, client);
    Sender sender = isKnown ? Sender.stranger(client) : authenticator.sender(credentials, client);
    boolean isThrottled =
        caller instanceof Authentication.Throttled
            || (caller instanceof Authentication.Undecided && sender.isThrottled());
    if (isThrottled && !isOpenPath) {
      refuse(exchange, Problems.tooManyWrongSecrets(), HttpFields.EMPTY);
      return true;
    }
    if (!isKnown && !(caller instanceof Authentication.Undecided) && !isOpenPath) {
      if (!SignInRedirect.answer(exchange)) {
        refuse(exchange, Problems.unauthorized(), BEARER);
      }
      return true;
    }
    boolean isForm = isOpenPath && HttpMethod.POST.is(method) && OpenPaths.takesForm(path);
    boolean isBodyless = HttpMethods.isGetOrHead(request) || (isOpenPath && !isForm);
    if (isBodyless) {
      if (!HttpMethods.isGetOrHead(request)
          && request.getHeaders().contains(HttpHeader.CONTENT_TYPE)) {
        refuse(exchange, Problems.noBodyTaken(), HttpFields.EMPTY);
        return true;
      }
      // A body that a stranger sends slowly would hold a thread.
      UnwantedBody.discard(request);
    }
    if (isForm) {
      run(threads.signIns(), origin(request), exchange);
    } else if (OpenPaths.isSignIn(method, path)) {
      runNow(threads.signIns(), origin(request), exchange);
    } else if (caller instanceof Authentication.Known(var known)) {
      answer(exchange, known);
    } else if (!threads
        .strangers()
        .authenticate(authenticator, credentials, client, found -> isAnswered(exchange, found))) {
      refuse(exchange, Problems.busy(), HttpFields.EMPTY);
    }
    return true;
  }

  /**
   * A caller whose token was found good leaves the threads of strangers.
   *
   * @return whether the database was not asked in vain
   */
  private boolean isAnswered(Exchange exchange, Authentication caller) {
    if (caller instanceof Authentication.Known(var known)) {
      answer(exchange, known);
      return true;
    }
    // The filter says why not.
    pass(exchange);
    return exchange.response().getStatus() < HttpStatus.BAD_REQUEST_400;
  }

  private void answer(Exchange exchange, Caller caller) {
    Request request = exchange.request();
    if (isUpload(request) && !caller.mayUpload()) {
      // It takes no place: it is refused, and what it sends is thrown away.
      UnwantedBody.discard(request);
      runNow(threads.callers(), caller.id(), exchange);
      return;
    }
    if (isUpload(request)) {
      boolean runs =
          ResumableRequest.is(request)
              ? threads.resumable().run(caller.id(), () -> passInTurn(exchange, caller))
              : threads.uploads().run(caller.id(), () -> pass(exchange));
      if (!runs) {
        refuse(exchange, UploadProblems.tooMany(), HttpFields.EMPTY);
      }
      return;
    }
    CallerThreads own = caller.role() == Role.ADMIN ? threads.admins() : threads.callers();
    run(own, caller.id(), exchange);
  }

  private static boolean isUpload(Request request) {
    return ResumableRequest.is(request)
        || ResumableRequest.isAttachment(request)
        || (ResumableRequest.isArtifact(request)
            && (HttpMethod.PUT.is(request.getMethod()) || isForm(request)));
  }

  private static boolean isForm(Request request) {
    return HttpMethod.POST.is(request.getMethod())
        && FormFile.isForm(request.getHeaders().get(HttpHeader.CONTENT_TYPE));
  }

  /** Gives its turn up whenever it waits for its client. */
  private void passInTurn(Exchange exchange, Caller caller) {
    UploadTurns.Turn turn = threads.turns().of(caller.id());
    exchange
        .request()
        .setAttribute(UploadExchange.ATTRIBUTE, ResumableRequest.exchange(exchange, turn));
    Holdings.Holding holding =
        connections.holding(
            exchange.request().getConnectionMetaData().getConnection().getEndPoint());
    Request.addCompletionListener(exchange.request(), _ -> holding.close());
    long _ = holding.add(ResumableRequest.MEMORY);
    turn.begin();
    try {
      pass(exchange);
    } finally {
      turn.end();
    }
  }

  /** Runs a request once its body is there. */
  private void run(CallerThreads own, String caller, Exchange exchange) {
    Request request = exchange.request();
    if (HttpMethods.isGetOrHead(request) || !GatheredRequest.hasBody(request)) {
      runNow(own, caller, exchange);
    } else if (request.getLength() > GatheredRequest.MAX_LENGTH) {
      refuse(exchange, Problems.bodyTooLong(GatheredRequest.MAX_LENGTH), HttpFields.EMPTY);
    } else {
      gather(exchange, whole -> runNow(own, caller, whole));
    }
  }

  private void gather(Exchange exchange, Consumer<Exchange> next) {
    GatheredRequest.gather(
        exchange.request(),
        connections,
        new GatheredRequest.Listener() {
          @Override
          public void whole(Request request) {
            next.accept(new Exchange(request, exchange.response(), exchange.callback()));
          }

          @Override
          public void tooLong() {
            problems.write(exchange, Problems.bodyTooLong(GatheredRequest.MAX_LENGTH), CLOSE);
          }

          @Override
          public void tooLate() {
            problems.write(exchange, Problems.bodyTooLate(GatheredRequest.TIME), CLOSE);
          }

          @Override
          public void broken(Throwable failure) {
            exchange.fail(failure);
          }
        });
  }

  private void runNow(CallerThreads own, String caller, Exchange exchange) {
    if (!own.run(caller, () -> pass(exchange))) {
      refuse(exchange, Problems.busy(), HttpFields.EMPTY);
    }
  }

  /** Behind named proxies, people have addresses of their own. */
  private String origin(Request request) {
    return connections
        .origin(request)
        .map(address -> Network.ofClient(address).toString())
        .orElse("");
  }

  /** The client's own, if it is a word; or a new one. */
  private static String requestId(Request request) {
    String sent = request.getHeaders().get(REQUEST_ID);
    return sent != null && REQUEST_ID_FORM.matcher(sent).matches()
        ? sent
        : UUID.randomUUID().toString();
  }

  private void answerHealth(Exchange exchange, String path) {
    CompletableFuture<?> _ =
        health
            .ask(path)
            .whenComplete((answer, failure) -> {
              if (failure == null) {
                answer.write(exchange);
              } else {
                exchange.fail(failure);
              }
            });
  }

  private void refuse(Exchange exchange, ProblemDetail problem, HttpFields fields) {
    UnwantedBody.discard(exchange.request());
    problems.write(exchange, problem, fields);
  }

  private void pass(Exchange exchange) {
    Request request = exchange.request();
    try {
      GatheredResponse gathered =
          new GatheredResponse(
              request,
              exchange.response(),
              connections.holding(request.getConnectionMetaData().getConnection().getEndPoint()));
      if (!super.handle(request, gathered, exchange.callback())) {
        Response.writeError(
            request, exchange.response(), exchange.callback(), HttpStatus.NOT_FOUND_404);
      }
    } catch (Throwable e) {
      // As Jetty's own dispatch does: whatever a handler throws ends this request, not the thread.
      exchange.fail(e);
    }
  }
}
