package io.artifactserver.rest.delivery;

import io.artifactserver.rest.delivery.address.Target;
import io.artifactserver.rest.delivery.answer.JettyRequestFields;
import io.artifactserver.rest.delivery.resolve.Served;
import io.artifactserver.rest.http.PartsOfOneVersion;
import io.artifactserver.rest.http.ResponsePlan;
import io.artifactserver.rest.http.ResponsePlanner;
import java.time.InstantSource;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.server.Request;

/** Which ranges and preconditions of a request count for what it gets. Immutable. */
record DownloadPlans(InstantSource clock, DownloadProperties properties) {
  /**
   * The plan of a download. Ranges do not count where the client may have others of another
   * release.
   */
  ResponsePlan of(Request request, Target target, Served served) {
    boolean mayHaveAnother =
        target instanceof Target.OfChannel
            && !PartsOfOneVersion.allowRange(new JettyRequestFields(request.getHeaders()));
    return mayHaveAnother ? plan(HttpMethod.HEAD.asString(), request, served) : of(request, served);
  }

  /**
   * The plan for something at an address of its own. For a HEAD, only the preconditions count (RFC
   * 9110, section 14.2), and where ranges do not.
   */
  ResponsePlan of(Request request, Served served) {
    if (served.bytes() instanceof Served.Bytes.Framed) {
      return plan(HttpMethod.HEAD.asString(), request, served);
    }
    return plan(
        properties.headRanges() ? HttpMethod.GET.asString() : request.getMethod(), request, served);
  }

  private ResponsePlan plan(String method, Request request, Served served) {
    return ResponsePlanner.plan(
        method,
        new JettyRequestFields(request.getHeaders()),
        served.representation(),
        clock.instant());
  }
}
