package io.artifactserver.benchmarks.load;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * Pages of the console that stay open while downloads are measured: half of them show the server,
 * the others the rollout of the file. A page comes again when its stream ends. Thread-safe.
 */
final class OpenPages implements AutoCloseable {
  /** As many as the console lets one token have, and some more pages of the operator. */
  private static final int PAGES = 50;

  private final HttpClient client;
  private final AtomicInteger refused = new AtomicInteger();

  private OpenPages(HttpClient client) {
    this.client = client;
  }

  /** Opens them. */
  static OpenPages of(URI server, String token) {
    OpenPages pages =
        new OpenPages(
            HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .sslContext(new TrustingTls().context())
                .build());
    Stream.iterate(0, i -> i + 1)
        .limit(PAGES)
        .map(i -> "/console/events" + (i % 2 == 0 ? "" : "?repository=load&path=file"))
        .forEach(path ->
            pages.follow(
                HttpRequest.newBuilder(server.resolve(path))
                    .header("Authorization", "Bearer " + token)
                    .build()));
    return pages;
  }

  private void follow(HttpRequest page) {
    var _ =
        client
            .sendAsync(page, BodyHandlers.discarding())
            .thenAccept(end -> {
              if (end.statusCode() == 200) {
                follow(page);
              } else {
                refused.incrementAndGet();
              }
            });
  }

  /** Ends all of them. */
  @Override
  public void close() {
    client.shutdownNow();
    if (refused.get() > 0) {
      throw new IllegalStateException(
          "%d of %d pages of the console were refused: what was measured is not what it says"
              .formatted(refused.get(), PAGES));
    }
  }
}
