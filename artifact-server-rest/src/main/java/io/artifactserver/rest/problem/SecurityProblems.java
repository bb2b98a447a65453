package io.artifactserver.rest.problem;

import io.artifactserver.core.access.Caller;
import io.artifactserver.rest.access.AccessRules;
import io.artifactserver.rest.access.Authenticator;
import io.artifactserver.rest.access.ConsolePaths;
import io.artifactserver.rest.access.IssuerUnavailableException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.authentication.AuthenticationServiceException;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.web.AuthenticationEntryPoint;
import org.springframework.security.web.access.AccessDeniedHandler;
import org.springframework.security.web.firewall.RequestRejectedException;
import org.springframework.security.web.firewall.RequestRejectedHandler;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/**
 * Spring Security's refusals as problem details, or as pages of the console. Thread-safe.
 *
 * @param pages show problems to people
 */
@Component
public record SecurityProblems(JsonMapper mapper, Optional<ProblemPage> pages)
    implements AuthenticationEntryPoint, AccessDeniedHandler, RequestRejectedHandler {
  @Override
  public void commence(
      HttpServletRequest request, HttpServletResponse response, AuthenticationException failure)
      throws IOException {
    if (failure instanceof AuthenticationServiceException) {
      write(
          request,
          response,
          failure.getCause() instanceof IssuerUnavailableException
              ? Problems.issuerUnavailable()
              : Problems.catalogUnavailable(),
          Duration.ofSeconds(Problems.RETRY_AFTER_SECONDS));
      return;
    }
    Optional<String> signIn =
        ConsolePaths.signInFor(
            request.getMethod(), request.getRequestURI(), request.getQueryString());
    if (signIn.isEmpty()) {
      response.setHeader(HttpHeaders.WWW_AUTHENTICATE, Authenticator.BEARER_CHALLENGE);
      write(request, response, Problems.unauthorized());
    } else if (request.getHeader(ConsolePaths.SCRIPT_FIELD) != null) {
      response.setHeader(ConsolePaths.SCRIPT_LOCATION, signIn.get());
      response.setStatus(HttpServletResponse.SC_UNAUTHORIZED);
    } else {
      response.setHeader(HttpHeaders.LOCATION, signIn.get());
      response.setStatus(HttpServletResponse.SC_SEE_OTHER);
    }
  }

  @Override
  public void handle(
      HttpServletRequest request, HttpServletResponse response, AccessDeniedException failure)
      throws IOException {
    Authentication caller = SecurityContextHolder.getContext().getAuthentication();
    write(
        request,
        response,
        Problems.forbidden(
            caller != null && caller.getPrincipal() instanceof Caller known
                ? AccessRules.refusal(known, request.getMethod(), request.getRequestURI())
                : "This needs a token."));
  }

  @Override
  public void handle(
      HttpServletRequest request, HttpServletResponse response, RequestRejectedException failure)
      throws IOException {
    write(
        request,
        response,
        Problems.invalidName("The request target or a field has characters that are refused"));
  }

  /**
   * Answers with a problem that goes away.
   *
   * @param after which the client is to ask again
   */
  public void write(
      HttpServletRequest request,
      HttpServletResponse response,
      ProblemDetail problem,
      Duration after)
      throws IOException {
    response.setHeader(HttpHeaders.RETRY_AFTER, Long.toString(after.toSeconds()));
    write(request, response, problem);
  }

  /** Answers with a problem. */
  public void write(HttpServletRequest request, HttpServletResponse response, ProblemDetail problem)
      throws IOException {
    problem.setInstance(URI.create(request.getRequestURI()));
    Optional<byte[]> page =
        ConsolePaths.isInside(request.getRequestURI())
            ? pages.map(each -> each.of(problem))
            : Optional.empty();
    byte[] body = page.orElseGet(() -> mapper.writeValueAsBytes(problem));
    response.setStatus(problem.getStatus());
    response.setContentType(
        page.isPresent() ? "text/html;charset=UTF-8" : MediaType.APPLICATION_PROBLEM_JSON_VALUE);
    response.setContentLength(body.length);
    response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
    response.getOutputStream().write(body);
  }
}
