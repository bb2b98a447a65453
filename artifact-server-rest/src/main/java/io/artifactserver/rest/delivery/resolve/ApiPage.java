package io.artifactserver.rest.delivery.resolve;

import io.artifactserver.core.digest.Digests;
import io.artifactserver.rest.http.EntityTag;
import io.artifactserver.rest.http.HttpDate;
import io.artifactserver.rest.http.Representation;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.support.PropertiesLoaderUtils;

/**
 * The page for humans on which the API describes itself, for everybody: a few files, read from the
 * program at its start, kept in memory and sent as artifacts are. The description itself wants a
 * token. Thread-safe.
 */
public final class ApiPage {
  private static final String ROOT = "/swagger-ui/";
  private static final String INDEX = ROOT + "index.html";
  private static final String OWN = "/api-page/";
  private static final String SWAGGER_UI = "/META-INF/resources/webjars/swagger-ui/";
  private static final String SWAGGER_UI_VERSION =
      "/META-INF/maven/org.webjars/swagger-ui/pom.properties";

  /** Swagger UI writes styles into its elements. */
  private static final String POLICY =
      "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:;"
          + " frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

  private final Map<String, Served> files = new HashMap<>();

  /** Reads the files. Blocks. */
  public ApiPage(InstantSource clock) throws IOException {
    Instant startedAt = clock.instant().truncatedTo(ChronoUnit.SECONDS);
    String version =
        PropertiesLoaderUtils.loadProperties(new ClassPathResource(SWAGGER_UI_VERSION))
            .getProperty("version");
    String swaggerUi = SWAGGER_UI + version + '/';
    add(OWN, "index.html", "text/html; charset=utf-8", startedAt);
    add(OWN, "page.css", "text/css; charset=utf-8", startedAt);
    add(OWN, "page.js", "text/javascript; charset=utf-8", startedAt);
    add(swaggerUi, "swagger-ui.css", "text/css; charset=utf-8", startedAt);
    add(swaggerUi, "swagger-ui-bundle.js", "text/javascript; charset=utf-8", startedAt);
    add(swaggerUi, "favicon-32x32.png", "image/png", startedAt);
  }

  /** Where a human who is lost is to go; empty if the path is not for those. */
  public static Optional<String> redirect(String path) {
    return path.equals("/") || path.equals("/swagger-ui.html") || path.equals(ROOT)
        ? Optional.of(INDEX)
        : Optional.empty();
  }

  /** A file of the page; empty if the path is of none. */
  public Optional<Served> file(String path) {
    return Optional.ofNullable(files.get(path));
  }

  private void add(String folder, String name, String mediaType, Instant startedAt)
      throws IOException {
    byte[] bytes = new ClassPathResource(folder + name).getContentAsByteArray();
    Digests digests = Served.digests(bytes);
    Representation representation =
        new Representation(bytes.length, EntityTag.of(digests.sha256()), startedAt);
    HttpFields validators =
        HttpFields.build()
            .add(HttpHeader.ETAG, representation.entityTag().toString())
            .add(HttpHeader.LAST_MODIFIED, HttpDate.format(startedAt))
            .add(HttpHeader.CACHE_CONTROL, "no-cache")
            .asImmutable();
    HttpFields fields =
        HttpFields.build(validators)
            .add(HttpHeader.ACCEPT_RANGES, "bytes")
            .add("X-Content-Type-Options", "nosniff")
            .add("Content-Security-Policy", POLICY)
            .add("Referrer-Policy", "no-referrer")
            .asImmutable();
    // Outside the heap, from where a socket takes it without a copy.
    ByteBuffer buffer = ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
    files.put(
        ROOT + name,
        new Served(
            new Served.Bytes.Inline(buffer.asReadOnlyBuffer()),
            digests,
            representation,
            mediaType,
            fields,
            fields,
            false,
            false,
            validators));
  }
}
