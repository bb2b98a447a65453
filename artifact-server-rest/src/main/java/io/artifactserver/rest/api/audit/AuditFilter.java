package io.artifactserver.rest.api.audit;

import io.artifactserver.core.access.Caller;
import io.artifactserver.rest.access.CurrentCaller;
import io.artifactserver.rest.access.RequestOrigin;
import io.artifactserver.rest.problem.Problems;
import io.artifactserver.rest.problem.SecurityProblems;
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
import org.springframework.web.filter.GenericFilterBean;
import org.springframework.web.util.ContentCachingResponseWrapper;

/**
 * Writes every request of a known caller that changes something to the audit, before the caller has
 * the answer, and those that were refused, as far as {@link Refusals} has it. Behind the filter
 * that recognises callers, around the access rules. Strangers change nothing and are not written: a
 * flood of them would fill the database. Callers that have changed enough today are refused, as
 * {@link Changes} has it. Thread-safe.
 */
public final class AuditFilter extends GenericFilterBean {
  private static final Set<String> READING = Set.of("GET", "HEAD", "OPTIONS");

  private static final String UPLOADS = "/api/v1/uploads/";

  /** The longest path in an entry, in characters. */
  private static final int MAX_LENGTH = 256;

  private static final int FAILED = 500;
  private static final int REFUSED = 400;

  private final AuditWriter audit;
  private final SecurityProblems problems;
  private final RequestOrigin origin;

  /**
   * @param problems answers callers that change too much
   */
  public AuditFilter(AuditWriter audit, SecurityProblems problems, RequestOrigin origin) {
    this.audit = audit;
    this.problems = problems;
    this.origin = origin;
  }

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    HttpServletRequest http = (HttpServletRequest) request;
    Optional<Caller> caller = CurrentCaller.find();
    boolean isReading = READING.contains(http.getMethod());
    if (caller.isEmpty() || (isReading && !mayComplete(http))) {
      chain.doFilter(request, response);
      return;
    }
    // Holds the answer back until the entry is written. Answers to changes are short.
    ContentCachingResponseWrapper held =
        new ContentCachingResponseWrapper((HttpServletResponse) response);
    boolean isAnswered = false;
    try {
      if (isReading || audit.mayChange(caller.get())) {
        chain.doFilter(request, held);
      } else {
        problems.write(http, held, Problems.tooManyChanges(), audit.untilMoreChanges());
      }
      isAnswered = true;
    } finally {
      if (!isReading || AuditDetails.isChanged(http)) {
        write(http, caller.get(), isAnswered ? held.getStatus() : FAILED);
      }
    }
    held.copyBodyToResponse();
  }

  /** Whether a client asks for an upload, which is complete then if all of its bytes are there. */
  private static boolean mayComplete(HttpServletRequest request) {
    return request.getMethod().equals("HEAD") && request.getRequestURI().startsWith(UPLOADS);
  }

  private void write(HttpServletRequest request, Caller caller, int status) {
    if (status < REFUSED && AuditDetails.isUnchanged(request)) {
      return;
    }
    Map<String, Object> entry = entry(request, caller, status);
    if (status < REFUSED) {
      AuditDetails.addTo(entry, request);
      audit.append(caller, entry);
    } else {
      AuditDetails.addIdTo(entry, request);
      audit.appendRefused(caller.id(), request.getMethod(), status, entry);
    }
  }

  private Map<String, Object> entry(HttpServletRequest request, Caller caller, int status) {
    Map<String, Object> entry = new LinkedHashMap<>();
    entry.put("caller", caller.id());
    entry.put("name", caller.name());
    entry.put("role", caller.role().name().toLowerCase(Locale.ROOT));
    entry.put("address", origin.address(request));
    entry.put("method", bounded(request.getMethod()));
    // Without the query: nothing in it changes anything, and it may hold what is secret.
    entry.put("path", bounded(request.getRequestURI()));
    entry.put("status", status);
    entry.put("outcome", status < 400 ? "changed" : status < 500 ? "refused" : "failed");
    return entry;
  }

  private static String bounded(String text) {
    return text.length() <= MAX_LENGTH ? text : text.substring(0, MAX_LENGTH);
  }
}
