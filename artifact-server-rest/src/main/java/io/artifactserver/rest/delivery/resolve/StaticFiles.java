package io.artifactserver.rest.delivery.resolve;

import io.artifactserver.core.digest.Digests;
import io.artifactserver.rest.access.ConsolePaths;
import io.artifactserver.rest.console.ConsoleAssets;
import io.artifactserver.rest.http.EntityTag;
import io.artifactserver.rest.http.HttpDate;
import io.artifactserver.rest.http.Representation;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
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
 * Files for people, and for everybody: the page on which the API describes itself, and what the
 * console's pages are made up with. Few, read from the program at its start, kept in memory and
 * sent as artifacts are. The API's description itself wants a token. Thread-safe.
 */
public final class StaticFiles {
  /** Where those who name no path get a page or a text. */
  public static final String FRONT_DOOR = "/";

  private static final String ROOT = "/swagger-ui/";
  private static final String INDEX = ROOT + "index.html";
  private static final String OWN = "/api-page/";
  private static final String SWAGGER_UI = "/META-INF/resources/webjars/swagger-ui/";
  private static final String SWAGGER_UI_VERSION =
      "/META-INF/maven/org.webjars/swagger-ui/pom.properties";

  private static final String SCRIPT = "text/javascript; charset=utf-8";
  private static final String STYLE = "text/css; charset=utf-8";

  /** Swagger UI writes styles into its elements. */
  private static final String POLICY =
      "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:;"
          + " frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

  private static final String CHECKED = "no-cache";

  /** Of a name that has the digest of what it names (RFC 8246). */
  private static final String FOR_EVER = "public, max-age=31536000, immutable";

  private static final String TEXT =
      """
      artifact-server keeps artifacts and serves them to devices, whole or by ranges.

      Artifacts: /artifacts/{repository}/{path}
      Console:   /console/
      API:       /swagger-ui/index.html
      """;

  private final Map<String, Served> files = new HashMap<>();
  private final Instant startedAt;

  /** Reads the files. Blocks. */
  public StaticFiles(ConsoleAssets console, InstantSource clock) throws IOException {
    startedAt = clock.instant().truncatedTo(ChronoUnit.SECONDS);
    String version =
        PropertiesLoaderUtils.loadProperties(new ClassPathResource(SWAGGER_UI_VERSION))
            .getProperty("version");
    String swaggerUi = SWAGGER_UI + version + '/';
    add(OWN, "index.html", "text/html; charset=utf-8");
    add(OWN, "page.css", STYLE);
    add(OWN, "page.js", SCRIPT);
    add(swaggerUi, "swagger-ui.css", STYLE);
    add(swaggerUi, "swagger-ui-bundle.js", SCRIPT);
    add(swaggerUi, "favicon-32x32.png", "image/png");
    console
        .files()
        .forEach(
            (path, asset) -> add(path, asset.bytes(), asset.mediaType(), asset.policy(), FOR_EVER));
    add(
        FRONT_DOOR,
        TEXT.getBytes(StandardCharsets.UTF_8),
        "text/plain; charset=utf-8",
        POLICY,
        CHECKED);
  }

  /**
   * Where a person who is lost is to go; empty if the path is not for those, or no person asks.
   *
   * @param accept the field of the request; empty if there is none
   */
  public static Optional<String> redirect(String path, String accept) {
    if (path.equals(FRONT_DOOR)) {
      return accept.contains("text/html") ? Optional.of(ConsolePaths.ROOT) : Optional.empty();
    }
    return switch (path) {
      case "/swagger-ui.html", ROOT -> Optional.of(INDEX);
      case "/console" -> Optional.of(ConsolePaths.ROOT);
      default -> Optional.empty();
    };
  }

  /** A file; empty if the path is of none. */
  public Optional<Served> file(String path) {
    return Optional.ofNullable(files.get(path));
  }

  private void add(String folder, String name, String mediaType) throws IOException {
    byte[] bytes = new ClassPathResource(folder + name).getContentAsByteArray();
    add(ROOT + name, bytes, mediaType, POLICY, CHECKED);
  }

  private void add(String path, byte[] bytes, String mediaType, String policy, String caching) {
    Digests digests = Served.digests(bytes);
    Representation representation =
        new Representation(bytes.length, EntityTag.of(digests.sha256()), startedAt);
    HttpFields validators =
        HttpFields.build()
            .add(HttpHeader.ETAG, representation.entityTag().toString())
            .add(HttpHeader.LAST_MODIFIED, HttpDate.format(startedAt))
            .add(HttpHeader.CACHE_CONTROL, caching)
            .asImmutable();
    HttpFields fields =
        HttpFields.build(validators)
            .add(HttpHeader.ACCEPT_RANGES, "bytes")
            .add("X-Content-Type-Options", "nosniff")
            .add("Content-Security-Policy", policy)
            .add("Referrer-Policy", "no-referrer")
            .asImmutable();
    // Outside the heap, from where a socket takes it without a copy.
    ByteBuffer buffer = ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
    files.put(
        path,
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
