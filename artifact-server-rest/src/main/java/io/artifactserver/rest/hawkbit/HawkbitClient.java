package io.artifactserver.rest.hawkbit;

import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.digest.Digests;
import io.artifactserver.core.hawkbit.GrantedArtifact;
import io.artifactserver.rest.http.RequestPath;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Asks hawkBit's Direct Device Integration API, as the device that wants to know. Follows no
 * redirect, which would carry the token elsewhere. Thread-safe; nothing blocks.
 */
final class HawkbitClient implements AutoCloseable {
  /** hawkBit refuses this one for now: its filter counts the requests of an address. */
  static final class TooManyRequestsException extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  /** In bytes: a module has few artifacts, and each takes a kilobyte. */
  private static final long MAX_ANSWER = 1L << 20;

  private final HttpClient client;
  private final String address;
  private final Duration timeout;
  private final JsonMapper mapper;
  private final Executor executor;

  /**
   * @param address hawkBit's, without a slash at its end
   * @param executor for what is done with answers
   */
  HawkbitClient(String address, Duration timeout, JsonMapper mapper, Executor executor) {
    this.address = address;
    this.timeout = timeout;
    this.mapper = mapper;
    this.executor = executor;
    this.client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(timeout)
            .executor(executor)
            .build();
  }

  /**
   * Asks for the artifacts of a module.
   *
   * @return fails with a {@link TooManyRequestsException} if hawkBit wants to be asked later, and
   *     with nothing else
   */
  CompletableFuture<Answer> ask(Question question) {
    HttpRequest request =
        request(question, question.path()).header("Accept", "application/json").build();
    return client
        .sendAsync(
            request,
            HttpResponse.BodyHandlers.limiting(HttpResponse.BodyHandlers.ofByteArray(), MAX_ANSWER))
        .handleAsync(
            (response, failure) ->
                failure == null
                    ? answer(question, response)
                    : new Answer.Unavailable(reason(failure)),
            executor);
  }

  private Answer answer(Question question, HttpResponse<byte[]> response) {
    return switch (response.statusCode()) {
      case 200 -> granted(question, response.body());
      case 401, 403 -> new Answer.Unauthorized();
      case 404, 410 -> new Answer.NotFound();
      case 429 -> throw new TooManyRequestsException();
      default -> new Answer.Unavailable("hawkBit answered " + response.statusCode());
    };
  }

  private Answer granted(Question question, byte[] body) {
    try {
      JsonNode list = mapper.readTree(body);
      if (!list.isArray()) {
        return new Answer.Unavailable("hawkBit answered with something else than a list");
      }
      List<GrantedArtifact> artifacts = new ArrayList<>();
      String tenant = question.tenant().toUpperCase(Locale.ROOT);
      for (JsonNode item : list) {
        artifacts.add(artifact(tenant, item));
      }
      return new Answer.Granted(artifacts);
    } catch (JacksonException e) {
      return new Answer.Unavailable("hawkBit answered with something else than JSON");
    } catch (IllegalArgumentException e) {
      return new Answer.Unavailable("hawkBit described an artifact badly: " + e.getMessage());
    }
  }

  private static GrantedArtifact artifact(String tenant, JsonNode item) {
    Map<DigestAlgorithm, Digest> digests = new EnumMap<>(DigestAlgorithm.class);
    JsonNode hashes = item.path("hashes");
    for (DigestAlgorithm algorithm : DigestAlgorithm.values()) {
      String hex = hashes.path(algorithm.id()).asString("");
      if (!hex.isEmpty()) {
        digests.put(algorithm, new Digest(algorithm, hex.toLowerCase(Locale.ROOT)));
      }
    }
    return new GrantedArtifact(
        tenant,
        item.path("filename").asString(""),
        item.path("size").asLong(-1),
        new Digests(digests));
  }

  /**
   * Downloads the first bytes of an artifact from hawkBit itself, as it would send them to the
   * device.
   *
   * @param length at least 1
   * @return fails with an {@link IOException} if hawkBit does not send them
   */
  CompletableFuture<byte[]> beginning(Question question, String fileName, int length) {
    HttpRequest request =
        request(question, question.path() + '/' + RequestPath.encode(fileName))
            .header("Range", "bytes=0-" + (length - 1))
            .build();
    return client
        .sendAsync(
            request,
            HttpResponse.BodyHandlers.limiting(HttpResponse.BodyHandlers.ofByteArray(), length))
        .thenApply(response -> {
          if (response.statusCode() == 429) {
            throw new TooManyRequestsException();
          }
          if (response.statusCode() != 206) {
            throw new CompletionException(
                new IOException("hawkBit answered %d".formatted(response.statusCode())));
          }
          return response.body();
        });
  }

  private HttpRequest.Builder request(Question question, String path) {
    return HttpRequest.newBuilder(URI.create(address + path))
        .timeout(timeout)
        .header("Authorization", question.authorization());
  }

  private static String reason(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    return "hawkBit cannot be asked: " + cause;
  }

  @Override
  public void close() {
    client.shutdownNow();
  }
}
