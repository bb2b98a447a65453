package io.artifactserver.rest.audit;

import io.artifactserver.core.access.Caller;
import io.artifactserver.core.audit.AuditLog;
import io.artifactserver.core.catalog.CatalogUnavailableException;
import io.artifactserver.rest.auth.CurrentCaller;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.web.filter.GenericFilterBean;
import org.springframework.web.util.ContentCachingResponseWrapper;
import tools.jackson.databind.json.JsonMapper;

/**
 * Writes every request of a known caller that changes something, or was refused to, to the audit,
 * before the caller has the answer. Behind the filter that recognises callers, around the access
 * rules. Strangers change nothing and are not written: a flood of them would fill the database.
 * Thread-safe.
 */
public final class AuditFilter extends GenericFilterBean {
  private static final Logger LOG = LoggerFactory.getLogger(AuditFilter.class);
  private static final Set<String> READING = Set.of("GET", "HEAD", "OPTIONS");

  /** Longest value from a client in an entry, in characters. */
  private static final int MAX_LENGTH = 4096;

  private static final int FAILED = 500;

  private final AuditLog audit;
  private final JsonMapper mapper;

  public AuditFilter(AuditLog audit, JsonMapper mapper) {
    this.audit = audit;
    this.mapper = mapper;
  }

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    HttpServletRequest http = (HttpServletRequest) request;
    Optional<Caller> caller = CurrentCaller.find();
    if (caller.isEmpty() || READING.contains(http.getMethod())) {
      chain.doFilter(request, response);
      return;
    }
    // Holds the answer back until the entry is written. Answers to changes are short.
    ContentCachingResponseWrapper held =
        new ContentCachingResponseWrapper((HttpServletResponse) response);
    boolean isAnswered = false;
    try {
      chain.doFilter(request, held);
      isAnswered = true;
    } finally {
      write(http, caller.get(), isAnswered ? held.getStatus() : FAILED);
    }
    held.copyBodyToResponse();
  }

  private void write(HttpServletRequest request, Caller caller, int status) {
    String entry = mapper.writeValueAsString(entry(request, caller, status));
    try {
      audit.append(entry);
    } catch (CatalogUnavailableException e) {
      // What needs the database was not changed either; the log keeps the rest.
      LOG.error("Not in the audit, because the database does not answer: {}", entry, e);
    }
  }

  private static Map<String, Object> entry(HttpServletRequest request, Caller caller, int status) {
    Map<String, Object> entry = new LinkedHashMap<>();
    entry.put("caller", caller.id());
    entry.put("name", caller.name());
    entry.put("role", caller.role().name().toLowerCase(Locale.ROOT));
    entry.put("address", request.getRemoteAddr());
    entry.put("method", request.getMethod());
    // Without the query: nothing in it changes anything, and it may hold what is secret.
    entry.put("path", bounded(request.getRequestURI()));
    entry.put("status", status);
    entry.put("outcome", status < 400 ? "changed" : status < 500 ? "refused" : "failed");
    AuditDetails.addTo(entry, request);
    return entry;
  }

  private static String bounded(String text) {
    return text.length() <= MAX_LENGTH ? text : text.substring(0, MAX_LENGTH);
  }
}
