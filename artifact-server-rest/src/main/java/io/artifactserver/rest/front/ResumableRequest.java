package io.artifactserver.rest.front;

import io.artifactserver.rest.api.artifact.UploadExchange;
import io.artifactserver.rest.http.BelowArtifact;
import io.artifactserver.rest.server.engine.InterimAnswers;
import io.artifactserver.rest.server.guard.UploadTurns;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.server.Request;

/** Requests of uploads that may go on in other requests. */
final class ResumableRequest extends Request.Wrapper {
  /**
   * Bytes that a request takes while it waits for its client: a stack on the heap, the request and
   * its response. WaitingUploadsIT guards it.
   */
  static final int MEMORY = 56 * 1024;

  /** Upload Resumption Supported: draft-ietf-httpbis-resumable-upload, section 5. */
  private static final int SUPPORTED = 104;

  private static final String REASON = "Upload Resumption Supported";

  private static final Pattern ARTIFACT = Pattern.compile("/api/v1/repositories/[^/]+/artifacts/");
  private static final String UPLOADS = "/api/v1/uploads";
  private static final String COMPLETE = "Upload-Complete";
  private static final String CONCAT = "Upload-Concat";
  private static final String FINAL = "final";
  private static final String VERSION = "Upload-Draft-Interop-Version";
  private static final String OVERRIDE = "X-HTTP-Method-Override";
  private static final Set<String> OVERRIDING = Set.of("PATCH", "DELETE", "HEAD");

  private final String method;

  private ResumableRequest(Request request, String method) {
    super(request);
    this.method = method;
  }

  /** The same request, with the method that tus lets its head name, for clients that know none. */
  static Request withMethod(Request request) {
    String named = request.getHeaders().get(OVERRIDE);
    return named != null
            && OVERRIDING.contains(named)
            && HttpMethod.POST.is(request.getMethod())
            && path(request).startsWith(UPLOADS + '/')
        ? new ResumableRequest(request, named)
        : request;
  }

  /**
   * Whether a request brings bytes of an upload that may go on in another one, or puts parts
   * together. One that only begins an upload waits for no storage, so it takes no turn.
   */
  static boolean is(Request request) {
    String path = path(request);
    String sent = request.getMethod();
    return (HttpMethod.POST.is(sent)
            && path.equals(UPLOADS)
            && (isOfParts(request) || GatheredRequest.hasBody(request)))
        || (HttpMethod.PATCH.is(sent) && path.startsWith(UPLOADS + '/'))
        || ((HttpMethod.PUT.is(sent) || HttpMethod.POST.is(sent))
            && isArtifact(request)
            && request.getHeaders().contains(COMPLETE)
            && UploadExchange.VERSIONS.contains(
                Objects.requireNonNullElse(request.getHeaders().get(VERSION), "")));
  }

  private static boolean isOfParts(Request request) {
    return Objects.requireNonNullElse(request.getHeaders().get(CONCAT), "").startsWith(FINAL);
  }

  /** Whether the address is an artifact's own. */
  static boolean isArtifact(Request request) {
    String path = path(request);
    return ARTIFACT.matcher(path).lookingAt()
        && BelowArtifact.find(request.getMethod(), path).isEmpty();
  }

  /** Whether a request brings a document about an artifact: in one request, as an upload. */
  static boolean isAttachment(Request request) {
    return BelowArtifact.find(request.getMethod(), path(request))
        .filter(below -> below == BelowArtifact.ATTACH)
        .isPresent();
  }

  /** The means that a request has while it runs. */
  static UploadExchange exchange(Exchange exchange, UploadTurns.Turn turn) {
    HttpVersion version = exchange.request().getConnectionMetaData().getHttpVersion();
    return new UploadExchange(
        turn,
        fields -> {
          if (version == HttpVersion.HTTP_1_1) {
            InterimAnswers.send(exchange.request(), SUPPORTED + " " + REASON, fields);
          } else if (version.getVersion() > HttpVersion.HTTP_1_1.getVersion()) {
            // One that the client cannot take now is not sent: each says what the next one says.
            var _ = exchange.response().writeInterim(SUPPORTED, fields);
          }
        });
  }

  @Override
  public String getMethod() {
    return method;
  }

  private static String path(Request request) {
    return Objects.requireNonNullElse(request.getHttpURI().getPath(), "");
  }
}
