package io.artifactserver.rest.front;

import io.artifactserver.rest.access.OpenPaths;
import io.artifactserver.rest.problem.Problems;
import io.artifactserver.rest.server.guard.Connections;
import io.artifactserver.rest.server.guard.Refusal;
import java.util.Optional;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * Refuses the requests of connections that are too many, but those for the health of the server: a
 * server that is busy must not look as if it were ill. Thread-safe; nothing blocks.
 */
public final class RefusalHandler extends Handler.Wrapper {
  private static final HttpFields CLOSE = HttpFields.from(HttpFields.CONNECTION_CLOSE);

  private final Connections connections;
  private final ProblemWriter problems;

  RefusalHandler(Connections connections, ProblemWriter problems) {
    this.connections = connections;
    this.problems = problems;
  }

  @Override
  public InvocationType getInvocationType() {
    return InvocationType.NON_BLOCKING;
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) throws Exception {
    connections.lookForProxy(request);
    Optional<Refusal> refusal = connections.refusal(request);
    String path = request.getHttpURI().getPath();
    if (refusal.isPresent() && (path == null || !OpenPaths.isHealth(path))) {
      problems.write(
          new Exchange(request, response, callback),
          Problems.tooManyConnections(refusal.get() == Refusal.ADDRESS),
          isHttp1(request) ? CLOSE : HttpFields.EMPTY);
      return true;
    }
    return super.handle(request, response, callback);
  }

  /** HTTP/2 has no such field (RFC 9113, section 8.2.2). */
  private static boolean isHttp1(Request request) {
    return request.getConnectionMetaData().getHttpVersion().getVersion()
        < HttpVersion.HTTP_2.getVersion();
  }
}
