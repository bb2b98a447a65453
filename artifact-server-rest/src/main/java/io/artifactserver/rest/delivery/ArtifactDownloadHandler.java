package io.artifactserver.rest.delivery;

import io.artifactserver.core.access.LinkRefusedException;
import io.artifactserver.core.catalog.InvalidNameException;
import io.artifactserver.rest.access.Credentials;
import io.artifactserver.rest.delivery.address.Addresses;
import io.artifactserver.rest.delivery.address.Target;
import io.artifactserver.rest.delivery.resolve.RequestCredentials;
import io.artifactserver.rest.delivery.resolve.Served;
import io.artifactserver.rest.delivery.resolve.StaticFiles;
import io.artifactserver.rest.front.Exchange;
import io.artifactserver.rest.front.HttpMethods;
import io.artifactserver.rest.front.ProblemWriter;
import io.artifactserver.rest.front.UnwantedBody;
import io.artifactserver.rest.problem.Problems;
import java.util.Objects;
import java.util.Optional;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * The data plane: answers devices on the connection's own thread, as long as everything it needs is
 * in memory, and leaves every other request to the control plane. Thread-safe.
 *
 * <p>A thread hop a request costs a third of the throughput of 4 KiB ranges, and a warm download
 * never blocks: so this handler is non-blocking, and hands what may block to the executor.
 */
public final class ArtifactDownloadHandler extends Handler.Wrapper {
  private final Addresses addresses;
  private final RequestCredentials credentials;
  private final Followers followers;
  private final Downloads downloads;
  private final Answers answers;
  private final DeviceReports reports;
  private final StaticFiles files;
  private final ProblemWriter problems;

  ArtifactDownloadHandler(
      Addresses addresses,
      RequestCredentials credentials,
      Followers followers,
      Downloads downloads,
      Answers answers,
      DeviceReports reports,
      StaticFiles files,
      ProblemWriter problems) {
    this.addresses = addresses;
    this.credentials = credentials;
    this.followers = followers;
    this.downloads = downloads;
    this.answers = answers;
    this.reports = reports;
    this.files = files;
    this.problems = problems;
  }

  @Override
  public InvocationType getInvocationType() {
    return InvocationType.NON_BLOCKING;
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) throws Exception {
    Exchange exchange = new Exchange(request, response, callback);
    String path = request.getHttpURI().getPath();
    if ("*".equals(path)) {
      answerOtherMethod(exchange);
      return true;
    }
    if (path == null || !addresses.isTarget(path)) {
      return servePage(exchange, Objects.requireNonNullElse(path, ""))
          || super.handle(request, response, callback);
    }
    if (HttpMethod.PUT.is(request.getMethod()) && Addresses.takesReports(path)) {
      reports.take(exchange, path);
      return true;
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
        Credentials shown = credentials.of(request, target.get());
        Target named = followers.named(request, target.get(), shown);
        downloads.serve(new Answers.Asked(exchange, named, shown, null));
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
    String accept =
        Objects.requireNonNullElse(exchange.request().getHeaders().get(HttpHeader.ACCEPT), "");
    Optional<String> elsewhere = StaticFiles.redirect(path, accept);
    Optional<Served> file = files.file(path);
    // Jetty gives the path of "/" to a CONNECT.
    if ((elsewhere.isEmpty() && file.isEmpty())
        || HttpMethod.CONNECT.is(exchange.request().getMethod())) {
      return false;
    }
    UnwantedBody.discard(exchange.request());
    if (path.equals(StaticFiles.FRONT_DOOR)) {
      exchange.response().getHeaders().put(HttpHeader.VARY, "Accept");
    }
    if (!HttpMethods.isGetOrHead(exchange.request())) {
      answerOtherMethod(exchange);
    } else if (elsewhere.isPresent()) {
      Response.sendRedirect(
          exchange.request(), exchange.response(), exchange.callback(), elsewhere.get());
    } else {
      answers.answer(exchange, file.orElseThrow());
    }
    return true;
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
