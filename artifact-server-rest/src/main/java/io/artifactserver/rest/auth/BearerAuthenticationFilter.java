package io.artifactserver.rest.auth;

import io.artifactserver.core.access.AccessToken;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.authority.SimpleGrantedAuthority;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.filter.GenericFilterBean;

/**
 * Makes the {@link Authenticator}'s answer known to Spring Security on the control plane. Whoever
 * is not recognised goes on as nobody; the access rules then say 401. Client certificates open
 * nothing here: a browser would show an operator's to every page that asks. Thread-safe.
 */
public final class BearerAuthenticationFilter extends GenericFilterBean {
  private final Authenticator authenticator;

  public BearerAuthenticationFilter(Authenticator authenticator) {
    this.authenticator = authenticator;
  }

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    Optional<String> authorization =
        Optional.ofNullable(((HttpServletRequest) request).getHeader("Authorization"));
    if (authenticator.authenticate(Credentials.of(authorization))
        instanceof Authentication.Known(var token)) {
      SecurityContext context = SecurityContextHolder.createEmptyContext();
      context.setAuthentication(authenticated(token));
      SecurityContextHolder.setContext(context);
    }
    chain.doFilter(request, response);
  }

  private static UsernamePasswordAuthenticationToken authenticated(AccessToken token) {
    return UsernamePasswordAuthenticationToken.authenticated(
        token.name(), null, List.of(new SimpleGrantedAuthority("ROLE_" + token.role().name())));
  }
}
