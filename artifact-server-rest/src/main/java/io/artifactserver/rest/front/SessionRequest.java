package io.artifactserver.rest.front;

import io.artifactserver.rest.access.ConsolePaths;
import io.artifactserver.rest.access.session.Session;
import io.artifactserver.rest.access.session.SessionCookie;
import io.artifactserver.rest.access.session.Sessions;
import java.util.Objects;
import java.util.Optional;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;

/**
 * A request of a browser that has signed in, with the token that its cookie stands for: behind
 * here, it is a program's that sent the token itself. A cookie alone opens pages of the console,
 * and nothing else: whatever changes something, and all of the API, wants the change token too.
 */
final class SessionRequest extends Request.Wrapper {
  private static final String API = "/api/v1/";

  private final HttpFields fields;

  private SessionRequest(Request request, Session session) {
    super(request);
    this.fields =
        HttpFields.build(request.getHeaders())
            .put(HttpHeader.AUTHORIZATION, session.authorization())
            .asImmutable();
    request.setAttribute(Session.class.getName(), session);
  }

  /** The request itself, where no session counts. */
  static Request of(Request request, Sessions sessions) {
    String path = Objects.requireNonNullElse(request.getHttpURI().getPath(), "");
    boolean isPage = ConsolePaths.isInside(path);
    String cookies = request.getHeaders().get(HttpHeader.COOKIE);
    if (cookies == null
        || !(isPage || path.startsWith(API))
        || request.getHeaders().contains(HttpHeader.AUTHORIZATION)) {
      return request;
    }
    boolean isOpened = isPage && HttpMethods.isGetOrHead(request);
    return secret(request, cookies)
        .flatMap(sessions::find)
        .filter(session -> isOpened || session.isOwnChange(field(request, Session.CHANGE_FIELD)))
        .<Request>map(session -> new SessionRequest(request, session))
        .orElse(request);
  }

  private static Optional<String> secret(Request request, String cookies) {
    return SessionCookie.secret(
        cookies,
        SessionCookie.isSecure(request.isSecure(), field(request, SessionCookie.FORWARDED_FIELD)));
  }

  private static String field(Request request, String name) {
    return Objects.requireNonNullElse(request.getHeaders().get(name), "");
  }

  @Override
  public HttpFields getHeaders() {
    return fields;
  }
}
