package io.artifactserver.rest.access.oidc;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Asks an identity provider, which may be slow, away, or send too much. Follows no redirect.
 * Thread-safe.
 */
final class IssuerClient implements Executor, AutoCloseable {
  /** In bytes: a key takes a kilobyte, a token a few. */
  private static final long MAX_ANSWER = 512 * 1024;

  private final Duration timeout;
  private final ExecutorService executor =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("oidc-", 0).factory());
  private final HttpClient client;

  /**
   * @param timeout of one answer, to its last byte
   */
  IssuerClient(Duration timeout) {
    this.timeout = timeout;
    this.client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .executor(executor)
            .build();
  }

  /** Runs what may ask the provider, on a thread of its own. */
  @Override
  public void execute(Runnable task) {
    executor.execute(task);
  }

  /**
   * Returns what is at an address. Blocks.
   *
   * @throws IOException if the answer is not a 200, or does not come in time
   */
  String get(URI address) throws IOException {
    HttpResponse<String> answer =
        send(HttpRequest.newBuilder(address).header("Accept", "application/json").build());
    if (answer.statusCode() != 200) {
      throw new IOException("%s answered %d".formatted(address, answer.statusCode()));
    }
    return answer.body();
  }

  /**
   * Returns the answer to a request, whatever its status. Blocks.
   *
   * @throws IOException if the answer does not come in time
   */
  HttpResponse<String> send(HttpRequest request) throws IOException {
    CompletableFuture<HttpResponse<String>> answer =
        client.sendAsync(
            request,
            BodyHandlers.limiting(BodyHandlers.ofString(StandardCharsets.UTF_8), MAX_ANSWER));
    try {
      // The only clock: the client's own would begin a moment earlier or later.
      return answer.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw new IOException("%s: %s".formatted(request.uri(), e.getCause()), e);
    } catch (TimeoutException e) {
      throw new IOException("%s does not answer within %s".formatted(request.uri(), timeout), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted", e);
    } finally {
      answer.cancel(true);
    }
  }

  @Override
  public void close() {
    client.shutdownNow();
    executor.shutdownNow();
  }
}
