package io.artifactserver.rest.hawkbit;

import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.digest.Digests;
import io.artifactserver.core.grant.GrantedArtifact;
import io.artifactserver.rest.http.RequestPath;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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

  /** In the address of a deployment. */
  private static final Pattern ACTION = Pattern.compile("/deploymentBase/(\\d{1,18})(?:[/?]|$)");

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
    return json(question, question.path())
        .handleAsync(
            (response, failure) ->
                failure == null
                    ? answer(question, response)
                    : new Answer.Unavailable("hawkBit cannot be asked: " + cause(failure)),
            executor);
  }

  private CompletableFuture<HttpResponse<byte[]>> json(Question question, String path) {
    return client.sendAsync(
        request(question, path).header("Accept", "application/json").build(),
        BodyHandlers.limiting(BodyHandlers.ofByteArray(), MAX_ANSWER));
  }

  private Answer answer(Question question, HttpResponse<byte[]> response) {
    return switch (response.statusCode()) {
      case 200 -> granted(question, response.body());
      case 401, 403 -> new Answer.Unauthorized();
      case 404, 410 -> new Answer.NotFound();
      case 429 -> throw new TooManyRequestsException();
      default ->
          new Answer.Unavailable(
              "hawkBit answered " + response.statusCode(), response.statusCode() >= 500);
    };
  }

  private Answer granted(Question question, byte[] body) {
    try {
      JsonNode list = mapper.readTree(body);
      if (!list.isArray()) {
        return new Answer.Unavailable("hawkBit's answer is not a list");
      }
      String tenant = question.tenant().toUpperCase(Locale.ROOT);
      return new Answer.Granted(list.valueStream().map(item -> artifact(tenant, item)).toList());
    } catch (JacksonException e) {
      return new Answer.Unavailable("hawkBit's answer is not JSON");
    } catch (IllegalArgumentException e) {
      return new Answer.Unavailable(
          "hawkBit's description of an artifact is malformed: " + e.getMessage());
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
        .sendAsync(request, BodyHandlers.limiting(BodyHandlers.ofByteArray(), length))
        .thenApply(response -> {
          if (response.statusCode() != 206) {
            throw failure(response.statusCode());
          }
          return response.body();
        });
  }

  /**
   * Downloads an artifact from hawkBit itself, as the device would. The caller closes the body.
   *
   * @param position of the first byte
   * @return whatever hawkBit answers; fails with a {@link TooManyRequestsException} if it wants to
   *     be asked later
   */
  CompletableFuture<HttpResponse<InputStream>> download(
      Question question, String fileName, long position) {
    HttpRequest.Builder request =
        request(question, question.path() + '/' + RequestPath.encode(fileName));
    if (position > 0) {
      request.header("Range", "bytes=" + position + '-');
    }
    return client
        .sendAsync(request.build(), BodyHandlers.ofInputStream())
        .thenApply(response -> {
          if (response.statusCode() == 429) {
            close(response.body());
            throw new TooManyRequestsException();
          }
          return response;
        });
  }

  /**
   * Asks for the number of the device's action.
   *
   * @return empty if it has none, or may not know; fails if hawkBit cannot be asked
   */
  CompletableFuture<OptionalLong> action(Question question) {
    return json(question, question.devicePath())
        .thenApplyAsync(
            response ->
                isDone(response.statusCode()) ? action(response.body()) : OptionalLong.empty(),
            executor);
  }

  private OptionalLong action(byte[] body) {
    String link =
        mapper.readTree(body).path("_links").path("deploymentBase").path("href").asString("");
    Matcher number = ACTION.matcher(link);
    return number.find() ? OptionalLong.of(Long.parseLong(number.group(1))) : OptionalLong.empty();
  }

  /** Adds a line to the history of the device's action. Fails if hawkBit cannot be asked. */
  CompletableFuture<Void> feedback(Question question, long action, String text) {
    Map<String, Object> status =
        Map.of(
            "execution",
            "download",
            "result",
            Map.of("finished", "none"),
            "details",
            List.of(text));
    HttpRequest request =
        request(question, question.devicePath() + "/deploymentBase/" + action + "/feedback")
            .header("Content-Type", "application/json")
            .POST(
                HttpRequest.BodyPublishers.ofByteArray(
                    mapper.writeValueAsBytes(Map.of("status", status))))
            .build();
    return client
        .sendAsync(request, BodyHandlers.discarding())
        .thenAccept(response -> {
          // A refusal, as after the end of the action, is not worth another attempt.
          boolean _ = isDone(response.statusCode());
        });
  }

  /** Returns false if hawkBit refuses, and will again. */
  private static boolean isDone(int status) {
    if (status == 429 || status >= 500) {
      throw failure(status);
    }
    return status == 200;
  }

  private static RuntimeException failure(int status) {
    return status == 429
        ? new TooManyRequestsException()
        : new CompletionException(new IOException("hawkBit answered " + status));
  }

  private static void close(InputStream body) {
    try {
      body.close();
    } catch (IOException _) {
      // Nobody wants it.
    }
  }

  private HttpRequest.Builder request(Question question, String path) {
    return HttpRequest.newBuilder(URI.create(address + path))
        .timeout(timeout)
        .header("Authorization", question.authorization());
  }

  /** Returns what a future failed with. */
  static Throwable cause(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }

  @Override
  public void close() {
    client.shutdownNow();
  }
}
