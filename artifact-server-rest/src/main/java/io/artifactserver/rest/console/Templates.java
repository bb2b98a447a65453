package io.artifactserver.rest.console;

import gg.jte.ContentType;
import gg.jte.TemplateEngine;
import gg.jte.output.Utf8ByteOutput;
import io.artifactserver.rest.access.CurrentCaller;
import io.artifactserver.rest.access.session.Session;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Component;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;

/** Makes pages of the templates, which the build compiled. Thread-safe. */
@Component
public final class Templates {
  /** Files of this server only; no script, style or eval that stands in a page. */
  static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
          + " worker-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

  private final TemplateEngine engine =
      TemplateEngine.createPrecompiled(null, ContentType.Html, Templates.class.getClassLoader());

  private final ConsoleAssets assets;

  public Templates(ConsoleAssets assets) {
    this.assets = assets;
  }

  /** A page. */
  ResponseEntity<byte[]> page(
      HttpStatusCode status, String template, String title, Map<String, Object> model) {
    return ResponseEntity.status(status)
        .header(HttpHeaders.CONTENT_TYPE, "text/html;charset=UTF-8")
        .header(HttpHeaders.CACHE_CONTROL, "no-store")
        .header("Content-Security-Policy", POLICY)
        .header("Referrer-Policy", "same-origin")
        .header("Cross-Origin-Opener-Policy", "same-origin")
        .body(bytes(template, title, model));
  }

  /** The bytes of a page, as UTF-8. */
  byte[] bytes(String template, String title, Map<String, Object> model) {
    Map<String, Object> parameters = new HashMap<>(model);
    parameters.put("page", new Page(title, assets, CurrentCaller.find(), changeToken()));
    Utf8ByteOutput output = new Utf8ByteOutput();
    engine.render(template + ".jte", parameters, output);
    return output.toByteArray();
  }

  private static String changeToken() {
    return Optional.ofNullable(RequestContextHolder.getRequestAttributes())
        .map(request ->
            request.getAttribute(Session.class.getName(), RequestAttributes.SCOPE_REQUEST))
        .map(session -> ((Session) session).changeToken())
        .orElse("");
  }
}
