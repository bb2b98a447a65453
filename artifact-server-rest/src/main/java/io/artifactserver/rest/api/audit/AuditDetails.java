package io.artifactserver.rest.api.audit;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;

/**
 * A controller's account of a change, beside its request: the thing before, and after. It has no
 * secrets, only what everybody who may list the thing is shown.
 */
public final class AuditDetails {
  /** Attribute of a request: its id, as the answer's X-Request-Id has it. */
  public static final String REQUEST_ID = AuditDetails.class.getName() + ".request";

  private static final String BEFORE = AuditDetails.class.getName() + ".before";
  private static final String UNCHANGED = AuditDetails.class.getName() + ".unchanged";
  private static final String AFTER = AuditDetails.class.getName() + ".after";

  private AuditDetails() {}

  /** Says how the thing was before this thread's request. */
  public static void before(Object view) {
    set(BEFORE, view);
  }

  /** Says how the thing is after this thread's request. */
  public static void after(Object view) {
    set(AFTER, view);
  }

  /** Says that this thread's request is part of a change that has an entry, and needs none. */
  public static void nothingChanged() {
    set(UNCHANGED, true);
  }

  /** Whether a request that succeeded changed nothing. */
  static boolean isUnchanged(HttpServletRequest request) {
    return request.getAttribute(UNCHANGED) != null;
  }

  /** Whether a request that only reads has changed something on the way. */
  static boolean isChanged(HttpServletRequest request) {
    return request.getAttribute(AFTER) != null;
  }

  /** Adds to an entry what was said of its request. */
  static void addTo(Map<String, Object> entry, HttpServletRequest request) {
    put(entry, "before", request.getAttribute(BEFORE));
    put(entry, "after", request.getAttribute(AFTER));
    addIdTo(entry, request);
  }

  /** Adds only which request it was. */
  static void addIdTo(Map<String, Object> entry, HttpServletRequest request) {
    put(entry, "request", request.getAttribute(REQUEST_ID));
  }

  private static void put(Map<String, Object> entry, String name, @Nullable Object value) {
    if (value != null) {
      entry.put(name, value);
    }
  }

  private static void set(String name, Object view) {
    RequestAttributes request = RequestContextHolder.getRequestAttributes();
    if (request != null) {
      request.setAttribute(name, view, RequestAttributes.SCOPE_REQUEST);
    }
  }
}
