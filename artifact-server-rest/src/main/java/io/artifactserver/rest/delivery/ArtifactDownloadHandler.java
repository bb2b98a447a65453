package io.artifactserver.rest.delivery;

import io.artifactserver.core.access.LinkRefusedException;
import io.artifactserver.core.access.SignedLink;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.CatalogUnavailableException;
import io.artifactserver.core.catalog.InvalidNameException;
import io.artifactserver.core.catalog.UsedPath;
import io.artifactserver.rest.access.CertificateSubjects;
import io.artifactserver.rest.access.Credentials;
import io.artifactserver.rest.access.IssuerUnavailableException;
import io.artifactserver.rest.access.OpenPaths;
import io.artifactserver.rest.access.Sender;
import io.artifactserver.rest.access.link.Links;
import io.artifactserver.rest.delivery.address.Addresses;
import io.artifactserver.rest.delivery.address.DerivedName;
import io.artifactserver.rest.delivery.address.Target;
import io.artifactserver.rest.delivery.answer.BodySender;
import io.artifactserver.rest.delivery.answer.JettyRequestFields;
import io.artifactserver.rest.delivery.answer.ResponseEmitter;
import io.artifactserver.rest.delivery.pace.Throttles;
import io.artifactserver.rest.delivery.repeat.RepeatedDownloads;
import io.artifactserver.rest.delivery.report.Deliveries;
import io.artifactserver.rest.delivery.report.Deliveries.Delivery;
import io.artifactserver.rest.delivery.resolve.ApiPage;
import io.artifactserver.rest.delivery.resolve.Resolver;
import io.artifactserver.rest.delivery.resolve.Resolver.Resolution;
import io.artifactserver.rest.delivery.resolve.Served;
import io.artifactserver.rest.front.Exchange;
import io.artifactserver.rest.front.HttpMethods;
import io.artifactserver.rest.front.Lookups;
import io.artifactserver.rest.front.ProblemWriter;
import io.artifactserver.rest.front.UnwantedBody;
import io.artifactserver.rest.http.ResponsePlan;
import io.artifactserver.rest.http.ResponsePlanner;
import io.artifactserver.rest.log.FailureLog;
import io.artifactserver.rest.problem.Problems;
import io.artifactserver.rest.server.guard.Connections;
import io.artifactserver.rest.server.guard.Refusal;
import java.security.cert.X509Certificate;
import java.time.InstantSource;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import org.springframework.http.ProblemDetail;

/**
 * The data plane: answers devices on the connection's own thread, as long as everything it needs is
 * in memory, and leaves every other request to the control plane. Thread-safe.
 *
 * <p>A thread hop a request costs a third of the throughput of 4 KiB ranges, and a warm download
 * never blocks: so this handler is non-blocking, and hands what may block to the executor.
 */
public final class ArtifactDownloadHandler extends Handler.Wrapper {
  private static final FailureLog FAILURES =
      new FailureLog(LoggerFactory.getLogger(ArtifactDownloadHandler.class));

  private static final HttpFields CLOSE = HttpFields.from(HttpFields.CONNECTION_CLOSE);

  private final CertificateSubjects subjects = new CertificateSubjects();
  private final Addresses addresses;
  private final Resolver resolver;
  private final ResponseEmitter emitter;
  private final RepeatedDownloads repeatedDownloads;
  private final Deliveries deliveries;
  private final Throttles throttles;
  private final ProblemWriter problems;
  private final Lookups lookups;
  private final InstantSource clock;
  private final Connections connections;
  private final ApiPage page;
  private final Links links;
  private final boolean headRanges;

  ArtifactDownloadHandler(
      Addresses addresses,
      Resolver resolver,
      ResponseEmitter emitter,
      RepeatedDownloads repeatedDownloads,
      Deliveries deliveries,
      Throttles throttles,
      ProblemWriter problems,
      Lookups lookups,
      InstantSource clock,
      Connections connections,
      ApiPage page,
      Links links,
      boolean headRanges) {
    this.addresses = addresses;
    this.resolver = resolver;
    this.emitter = emitter;
    this.repeatedDownloads = repeatedDownloads;
    this.deliveries = deliveries;
    this.throttles = throttles;
    this.problems = problems;
    this.lookups = lookups;
    this.clock = clock;
    this.connections = connections;
    this.page = page;
    this.links = links;
    this.headRanges = headRanges;
  }

  @Override
  public InvocationType getInvocationType() {
    return InvocationType.NON_BLOCKING;
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) throws Exception {
    Exchange exchange = new Exchange(request, response, callback);
    String path = request.getHttpURI().getPath();
    connections.lookForProxy(request);
    Optional<Refusal> refusal = connections.refusal(request);
    // A server that is busy must not look as if it were ill.
    if (refusal.isPresent() && (path == null || !OpenPaths.isHealth(path))) {
      problems.write(
          exchange,
          Problems.tooManyConnections(refusal.get() == Refusal.ADDRESS),
          isHttp1(request) ? CLOSE : HttpFields.EMPTY);
      return true;
    }
    if ("*".equals(path)) {
      answerOtherMethod(exchange);
      return true;
    }
    if (path == null || !addresses.isTarget(path)) {
      return servePage(exchange, Objects.requireNonNullElse(path, ""))
          || super.handle(request, response, callback);
    }
    UnwantedBody.discard(request);
    // Jetty asks, once, when neither a read nor a write waits for the client: the server is looking
    // up.
    request.addIdleTimeoutListener(_ -> false);
    if (!HttpMethods.isGetOrHead(request)) {
      answerOtherMethod(exchange);
      return true;
    }
    try {
      Optional<Target> target = addresses.parse(path);
      if (target.isPresent()) {
        serve(exchange, target.get(), credentials(request, target.get()));
      } else {
        problems.write(exchange, Problems.notFound(), HttpFields.EMPTY);
      }
    } catch (InvalidNameException e) {
      String rule = String.valueOf(e.getMessage());
      problems.write(exchange, Problems.invalidName(rule), HttpFields.EMPTY);
    } catch (LinkRefusedException e) {
      problems.write(exchange, Problems.linkRefused(e), HttpFields.EMPTY);
    }
    return true;
  }

  /** Returns false if the path is no page's. */
  private boolean servePage(Exchange exchange, String path) {
    Optional<String> elsewhere = ApiPage.redirect(path);
    Optional<Served> file = page.file(path);
    // Jetty gives the path of "/" to a CONNECT.
    if ((elsewhere.isEmpty() && file.isEmpty())
        || HttpMethod.CONNECT.is(exchange.request().getMethod())) {
      return false;
    }
    UnwantedBody.discard(exchange.request());
    if (!HttpMethods.isGetOrHead(exchange.request())) {
      answerOtherMethod(exchange);
    } else if (elsewhere.isPresent()) {
      Response.sendRedirect(
          exchange.request(), exchange.response(), exchange.callback(), elsewhere.get());
    } else {
      answer(exchange, file.orElseThrow(), null, null, _ -> {});
    }
    return true;
  }

  /**
   * Again, too, when the download has waited for its turn: what it names may be deleted by then,
   * and its token taken away.
   */
  private void serve(Exchange exchange, Target target, Credentials credentials) {
    Optional<Resolution> known = resolver.peek(target, credentials);
    if (known.isPresent()) {
      if (known.get() instanceof Resolution.Found(Served served)) {
        Delivery delivery = deliveries.of(exchange.request(), target, credentials, served);
        repeatedDownloads.offer(exchange.request(), target, credentials, served, delivery);
        answer(exchange, target, credentials, served, delivery);
      } else {
        answer(exchange, target, credentials, known.get());
      }
    } else if (target instanceof Target.Granted wish) {
      var _ =
          resolver
              .ask(wish, credentials, connections.client(exchange.request()))
              .thenAccept(found -> answer(exchange, target, credentials, found))
              .exceptionally(failure -> {
                exchange.fail(failure);
                return null;
              });
    } else {
      serveUnknown(exchange, target, credentials);
    }
  }

  private void serveUnknown(Exchange exchange, Target target, Credentials credentials) {
    @Nullable Object client = connections.client(exchange.request());
    Sender sender = resolver.sender(credentials, client);
    if (sender.isThrottled()) {
      answer(exchange, target, credentials, new Resolution.Throttled());
    } else if (!lookups.run(sender, () -> lookUp(exchange, target, credentials, client))) {
      problems.write(exchange, Problems.tooManyLookups(), HttpFields.EMPTY);
    }
  }

  private Credentials credentials(Request request, Target target) throws LinkRefusedException {
    String query = request.getHttpURI().getQuery();
    if (query != null && SignedLink.isIn(query)) {
      return Credentials.ofLink(verified(linked(target), query, request.getMethod()));
    }
    String authorization =
        Objects.requireNonNullElse(request.getHeaders().get(HttpHeader.AUTHORIZATION), "");
    return authorization.isEmpty()
        ? Credentials.ofCertificate(subject(request))
        : Credentials.of(authorization);
  }

  /** The link of an artifact is good for the chunks in the store that is named after it, too. */
  private SignedLink verified(ArtifactId id, String query, String method)
      throws LinkRefusedException {
    try {
      return links.verify(id, query, method);
    } catch (LinkRefusedException e) {
      return links.verify(DerivedName.ownerOfStore(id).orElseThrow(() -> e), query, method);
    }
  }

  /** What a signed link may be for; a link for anything else was made for another address. */
  private static ArtifactId linked(Target target) throws LinkRefusedException {
    if (target instanceof Target.OfArtifact(ArtifactId id)) {
      return id;
    }
    throw LinkRefusedException.ofAnotherAddress();
  }

  /** The names in the certificate that TLS has verified, if the client showed one. */
  private String subject(Request request) {
    if (request.isSecure()
        && request.getAttribute(EndPoint.SslSessionData.ATTRIBUTE)
            instanceof EndPoint.SslSessionData session) {
      X509Certificate[] chain = session.peerCertificates();
      if (chain != null && chain.length > 0) {
        return subjects.of(chain[0]);
      }
    }
    return "";
  }

  /** Returns whether there is something. */
  private boolean lookUp(
      Exchange exchange, Target target, Credentials credentials, @Nullable Object client) {
    try {
      Resolution found = resolver.resolve(target, credentials, client);
      answer(exchange, target, credentials, found);
      return found instanceof Resolution.Found;
    } catch (CatalogUnavailableException e) {
      FAILURES.failed("Cannot look up " + exchange.request().getHttpURI().getPath(), e);
      problems.write(exchange, Problems.catalogUnavailable(), HttpFields.EMPTY);
    } catch (IssuerUnavailableException e) {
      problems.write(exchange, Problems.issuerUnavailable(), HttpFields.EMPTY);
    } catch (RuntimeException e) {
      exchange.fail(e);
    }
    return false;
  }

  private void answer(
      Exchange exchange, Target target, Credentials credentials, Resolution resolution) {
    switch (resolution) {
      case Resolution.Found(Served served) -> {
        Delivery delivery = deliveries.of(exchange.request(), target, credentials, served);
        answer(exchange, target, credentials, served, delivery);
      }
      case Resolution.NotReady _ ->
          problems.write(exchange, Problems.notReady(), ProblemWriter.RETRY);
      case Resolution.Gone(UsedPath used) ->
          problems.write(exchange, Problems.gone(used), HttpFields.EMPTY);
      case Resolution.NotFound _ -> problems.write(exchange, Problems.notFound(), HttpFields.EMPTY);
      case Resolution.Throttled _ -> {
        // desync tries again after a 503, and gives up at a 429.
        String path = Objects.requireNonNullElse(exchange.request().getHttpURI().getPath(), "");
        ProblemDetail problem = Problems.tooManyWrongSecrets();
        if (path.contains(DerivedName.STORE_SUFFIX + '/')) {
          problem.setStatus(HttpStatus.SERVICE_UNAVAILABLE_503);
        }
        problems.write(exchange, problem, HttpFields.EMPTY);
      }
      case Resolution.Unauthorized _ ->
          problems.write(exchange, unauthorized(exchange.request(), credentials), HttpFields.EMPTY);
      case Resolution.Failed(ProblemDetail problem) ->
          problems.write(exchange, problem, HttpFields.EMPTY);
    }
  }

  /** A link was verified, and may have ended since: its download may have waited for its turn. */
  private ProblemDetail unauthorized(Request request, Credentials credentials) {
    SignedLink link = credentials.link();
    if (link != null) {
      try {
        links.verify(link, request.getMethod());
      } catch (LinkRefusedException e) {
        return Problems.linkRefused(e);
      }
    }
    return Problems.unauthorized();
  }

  private void answer(
      Exchange exchange,
      Target target,
      Credentials credentials,
      Served served,
      @Nullable Delivery delivery) {
    Request request = exchange.request();
    Throttles.OfDownload throttle =
        request.getAttribute(BodySender.THROTTLE) instanceof Throttles.OfDownload begun
            ? begun
            : throttles.of(request, target, credentials);
    answer(exchange, served, delivery, throttle, turn -> serve(turn, target, credentials));
  }

  private void answer(
      Exchange exchange,
      Served served,
      @Nullable Delivery delivery,
      Throttles.@Nullable OfDownload throttle,
      Consumer<Exchange> again) {
    boolean hasRanges = !(served.bytes() instanceof Served.Bytes.Framed);
    ResponsePlan plan =
        ResponsePlanner.plan(
            planned(exchange, hasRanges),
            new JettyRequestFields(exchange.request().getHeaders()),
            served.representation(),
            clock.instant());
    emitter.emit(exchange, served, plan, delivery, throttle, again);
  }

  /** For a HEAD, only the preconditions count (RFC 9110, section 14.2), and where ranges do not. */
  private String planned(Exchange exchange, boolean hasRanges) {
    if (!hasRanges) {
      return HttpMethod.HEAD.asString();
    }
    return headRanges ? HttpMethod.GET.asString() : exchange.request().getMethod();
  }

  /** HTTP/2 has no such field (RFC 9113, section 8.2.2). */
  private static boolean isHttp1(Request request) {
    return request.getConnectionMetaData().getHttpVersion().getVersion()
        < HttpVersion.HTTP_2.getVersion();
  }

  private void answerOtherMethod(Exchange exchange) {
    HttpFields allow = HttpFields.from(new HttpField(HttpHeader.ALLOW, HttpMethods.ALLOWED));
    if (HttpMethod.OPTIONS.is(exchange.request().getMethod())) {
      exchange.response().setStatus(HttpStatus.NO_CONTENT_204);
      exchange.response().getHeaders().add(allow);
      exchange.endWithoutBody();
    } else {
      problems.write(exchange, Problems.methodNotAllowed(HttpMethods.ALLOWED), allow);
    }
  }
}
