package io.artifactserver.rest.access;

import io.artifactserver.core.access.Caller;
import io.artifactserver.core.catalog.CatalogUnavailableException;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.springframework.security.authentication.AuthenticationServiceException;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.authority.SimpleGrantedAuthority;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.web.AuthenticationEntryPoint;
import org.springframework.web.filter.GenericFilterBean;

/**
 * Makes the {@link Authenticator}'s answer known to Spring Security on the control plane. A caller
 * who is not recognised goes on as nobody; the access rules then say 401. Client certificates open
 * nothing here: a browser would show an operator's to every page that asks. Thread-safe.
 */
public final class BearerAuthenticationFilter extends GenericFilterBean {
  /** Attribute of a request: which address answers for its wrong secrets; absent if none does. */
  public static final String CLIENT = BearerAuthenticationFilter.class.getName() + ".client";

  private final Authenticator authenticator;
  private final AuthenticationEntryPoint refusals;

  /**
   * @param refusals answers if it cannot be found out who somebody is
   */
  public BearerAuthenticationFilter(
      Authenticator authenticator, AuthenticationEntryPoint refusals) {
    this.authenticator = authenticator;
    this.refusals = refusals;
  }

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    Optional<String> authorization =
        Optional.ofNullable(((HttpServletRequest) request).getHeader("Authorization"));
    Authentication caller;
    try {
      caller =
          authenticator.authenticate(Credentials.of(authorization), request.getAttribute(CLIENT));
    } catch (CatalogUnavailableException | IssuerUnavailableException e) {
      refusals.commence(
          (HttpServletRequest) request,
          (HttpServletResponse) response,
          new AuthenticationServiceException("Tokens cannot be looked up or verified", e));
      return;
    }
    if (caller instanceof Authentication.Known(var known)) {
      SecurityContext context = SecurityContextHolder.createEmptyContext();
      context.setAuthentication(authenticated(known));
      SecurityContextHolder.setContext(context);
    }
    chain.doFilter(request, response);
  }

  private static UsernamePasswordAuthenticationToken authenticated(Caller caller) {
    return UsernamePasswordAuthenticationToken.authenticated(
        caller, null, List.of(new SimpleGrantedAuthority("ROLE_" + caller.role().name())));
  }
}
