package io.artifactserver.rest.download;

import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.digest.Digests;
import io.artifactserver.rest.http.EntityTag;
import io.artifactserver.rest.http.HttpDate;
import io.artifactserver.rest.http.Representation;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;

/**
 * The page for humans on which the API describes itself, for everybody: a few files, read from the
 * program once, kept in memory and sent as artifacts are. The description itself wants a token.
 * Thread-safe.
 */
final class ApiPage {
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

  private enum Kind {
    OWN,
    SWAGGER_UI
  }

  private record Entry(Kind kind, String mediaType) {}

  private static final Map<String, Entry> FILES =
      Map.of(
          "index.html", new Entry(Kind.OWN, "text/html; charset=utf-8"),
          "page.css", new Entry(Kind.OWN, "text/css; charset=utf-8"),
          "page.js", new Entry(Kind.OWN, "text/javascript; charset=utf-8"),
          "swagger-ui.css", new Entry(Kind.SWAGGER_UI, "text/css; charset=utf-8"),
          "swagger-ui-bundle.js", new Entry(Kind.SWAGGER_UI, "text/javascript; charset=utf-8"),
          "favicon-32x32.png", new Entry(Kind.SWAGGER_UI, "image/png"));

  private final Map<String, Served> loaded = new ConcurrentHashMap<>();
  private final Instant startedAt;

  ApiPage(InstantSource clock) {
    this.startedAt = clock.instant().truncatedTo(ChronoUnit.SECONDS);
  }

  /** Where a human who is lost is to go; empty if the path is not for those. */
  static Optional<String> redirect(String path) {
    return path.equals("/") || path.equals("/swagger-ui.html") || path.equals(ROOT)
        ? Optional.of(INDEX)
        : Optional.empty();
  }

  static boolean isFile(String path) {
    return path.startsWith(ROOT) && FILES.containsKey(path.substring(ROOT.length()));
  }

  /** A file, if it was read before. No I/O. */
  Optional<Served> peek(String path) {
    return Optional.ofNullable(loaded.get(path));
  }

  /** A file. Blocks the first time. */
  Served load(String path) {
    return loaded.computeIfAbsent(path, key -> read(key.substring(ROOT.length())));
  }

  private Served read(String name) {
    Entry entry = FILES.get(name);
    if (entry == null) {
      throw new IllegalArgumentException(name + " is no file of the page");
    }
    byte[] bytes =
        switch (entry.kind()) {
          case OWN -> resource(OWN + name);
          case SWAGGER_UI -> resource(SWAGGER_UI + version() + '/' + name);
        };
    DigestAlgorithm sha256 = DigestAlgorithm.SHA_256;
    Digests digests =
        new Digests(Map.of(sha256, Digest.of(sha256, sha256.newMessageDigest().digest(bytes))));
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
    return new Served(
        new Served.Bytes.Inline(buffer.asReadOnlyBuffer()),
        digests,
        representation,
        entry.mediaType(),
        fields,
        false,
        false,
        validators);
  }

  private static String version() {
    Properties properties = new Properties();
    try (InputStream in = open(SWAGGER_UI_VERSION)) {
      properties.load(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return properties.getProperty("version");
  }

  private static byte[] resource(String path) {
    try (InputStream in = open(path)) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static InputStream open(String path) throws IOException {
    InputStream in = ApiPage.class.getResourceAsStream(path);
    if (in == null) {
      throw new IOException(path + " is not in the program");
    }
    return in;
  }
}
