package io.artifactserver.storage.s3;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.http.AbortableInputStream;
import software.amazon.awssdk.http.HttpExecuteRequest;
import software.amazon.awssdk.http.HttpExecuteResponse;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.services.s3.presigner.S3Presigner;

/**
 * Asks for ranges by presigned addresses: one signature serves every range of an object for a
 * while, and the pipeline of the SDK's client, a fifth of a request's processor time, has no part
 * in it; nor, before a server without TLS, has the HTTP client under it. This is a first attempt
 * and no more: whatever goes wrong yields nothing, and the caller asks the client, which knows
 * errors, retries and redirects. Thread-safe.
 */
final class PresignedGets implements AutoCloseable {
  /** Far below the life that credentials still have when their provider hands them out. */
  static final Duration REUSE = Duration.ofMinutes(1);

  /** How long none is tried after one was refused: a bucket's policy may forbid them. */
  static final Duration REFUSAL_PAUSE = Duration.ofMinutes(10);

  private static final Logger LOG = LoggerFactory.getLogger(PresignedGets.class);
  private static final Duration VALIDITY = Duration.ofMinutes(15);
  private static final int MAX_ADDRESSES = 1000;
  private static final String LINE_END = "\r\n";
  private static final int OK = 200;
  private static final int PARTIAL_CONTENT = 206;
  private static final int FORBIDDEN = 403;
  private static final int TOO_MANY_REQUESTS = 429;
  private static final int SERVER_ERROR = 500;
  private static final int PAUSE_MILLIS = 100;

  private final SdkHttpClient http;
  private final Optional<PlainConnections> plain;
  private final S3Presigner presigner;
  private final String bucket;
  private final LongSupplier nanoClock;

  /** By the names of the objects. */
  private final Cache<String, Address> addresses;

  private volatile long usableFrom;

  /**
   * @param plain to the server, if it can be reached by them; taken over
   * @param presigner for the address that this process reaches
   */
  PresignedGets(
      SdkHttpClient http,
      Optional<PlainConnections> plain,
      S3Presigner presigner,
      String bucket,
      LongSupplier nanoClock) {
    this.http = http;
    this.plain = plain;
    this.presigner = presigner;
    this.bucket = bucket;
    this.nanoClock = nanoClock;
    this.addresses =
        Caffeine.newBuilder()
            .maximumSize(MAX_ADDRESSES)
            .expireAfterWrite(REUSE)
            .ticker(nanoClock::getAsLong)
            .build();
    this.usableFrom = nanoClock.getAsLong();
  }

  /**
   * Asks once.
   *
   * @param range of bytes, as the header has it
   * @param pinned the entity tag that the object must have; null for any
   * @return the answer, to be closed or aborted; empty if there is none to work with
   */
  Optional<ObjectAnswer> get(String objectName, String range, @Nullable String pinned) {
    if (isPaused()) {
      return Optional.empty();
    }
    try {
      Address address = addresses.get(objectName, this::sign);
      String plainHead = address.plainHead();
      Optional<PlainConnection> connection =
          plainHead == null ? Optional.empty() : plain.orElseThrow().take();
      return plainHead != null && connection.isPresent()
          ? send(connection.get(), plainHead, objectName, range, pinned).await()
          : get(address, objectName, range, pinned);
    } catch (IOException | SdkException e) {
      LOG.debug("A presigned GET of {} failed", objectName, e);
    }
    return Optional.empty();
  }

  /**
   * Sends a request if that waits for nothing: neither for a signature nor for a connection.
   *
   * @param range of bytes, as the header has it
   * @param pinned the entity tag that the object must have; null for any
   * @return to be awaited or aborted; empty if the object is to be asked for
   */
  Optional<Sent> send(String objectName, String range, @Nullable String pinned) {
    Address address = isPaused() ? null : addresses.getIfPresent(objectName);
    String plainHead = address == null ? null : address.plainHead();
    if (plainHead == null) {
      return Optional.empty();
    }
    Optional<PlainConnection> connection = plain.orElseThrow().takeKept();
    try {
      return connection.isPresent()
          ? Optional.of(send(connection.get(), plainHead, objectName, range, pinned))
          : Optional.empty();
    } catch (IOException e) {
      LOG.debug("A presigned GET of {} could not be sent", objectName, e);
      return Optional.empty();
    }
  }

  @Override
  public void close() {
    plain.ifPresent(PlainConnections::close);
  }

  private boolean isPaused() {
    return nanoClock.getAsLong() - usableFrom < 0;
  }

  private Sent send(
      PlainConnection connection,
      String plainHead,
      String objectName,
      String range,
      @Nullable String pinned)
      throws IOException {
    String condition = pinned == null ? "" : "If-Match: " + pinned + LINE_END;
    String request = plainHead + "Range: " + range + LINE_END + condition + LINE_END;
    try {
      connection.send(request.getBytes(StandardCharsets.ISO_8859_1));
      return new Sent(connection, objectName);
    } catch (Throwable e) {
      connection.abort();
      throw e;
    }
  }

  private Optional<ObjectAnswer> get(
      Address address, String objectName, String range, @Nullable String pinned)
      throws IOException {
    SdkHttpRequest.Builder request = address.request().toBuilder().putHeader("Range", range);
    if (pinned != null) {
      request.putHeader("If-Match", pinned);
    }
    HttpExecuteResponse answer =
        http.prepareRequest(HttpExecuteRequest.builder().request(request.build()).build()).call();
    AbortableInputStream body = answer.responseBody().orElseGet(AbortableInputStream::createEmpty);
    int status = answer.httpResponse().statusCode();
    if (isFound(status)) {
      return Optional.of(ObjectAnswer.of(answer.httpResponse(), body));
    }
    body.abort();
    refused(objectName, status);
    return Optional.empty();
  }

  private static boolean isFound(int status) {
    return status == PARTIAL_CONTENT || status == OK;
  }

  private Address sign(String objectName) {
    SdkHttpRequest request =
        presigner
            .presignGetObject(presign ->
                presign
                    .signatureDuration(VALIDITY)
                    .getObjectRequest(get -> get.bucket(bucket).key(objectName)))
            .httpRequest();
    boolean isPlain =
        "http".equals(request.protocol())
            && plain.filter(known -> known.isFor(request.host(), request.port())).isPresent();
    return new Address(request, isPlain ? plainHead(request) : null);
  }

  /** All that every request of this address has, with the fields that are signed. */
  private static String plainHead(SdkHttpRequest request) {
    URI uri = request.getUri();
    StringBuilder head =
        new StringBuilder("GET ")
            .append(uri.getRawPath())
            .append('?')
            .append(uri.getRawQuery())
            .append(" HTTP/1.1")
            .append(LINE_END);
    request.forEachHeader((name, values) ->
        values.forEach(value -> head.append(name).append(": ").append(value).append(LINE_END)));
    return head.toString();
  }

  private void refused(String objectName, int status) {
    LOG.debug("A presigned GET of {} was answered with {}", objectName, status);
    if (status == FORBIDDEN) {
      addresses.invalidate(objectName);
      usableFrom = nanoClock.getAsLong() + REFUSAL_PAUSE.toNanos();
    } else if (status == TOO_MANY_REQUESTS || status >= SERVER_ERROR) {
      pause();
    }
  }

  /** Whoever is asked too much is not asked again at once. */
  private static void pause() {
    try {
      Thread.sleep(ThreadLocalRandom.current().nextInt(PAUSE_MILLIS / 2, PAUSE_MILLIS));
    } catch (InterruptedException _) {
      // The client, which is asked next, sees it.
      Thread.currentThread().interrupt();
    }
  }

  /** A GET that was sent. To be awaited or aborted, once, by one thread. */
  final class Sent {
    private final PlainConnection connection;
    private final String objectName;

    private Sent(PlainConnection connection, String objectName) {
      this.connection = connection;
      this.objectName = objectName;
    }

    /** Waits for the answer, to be closed or aborted; empty if there is none to work with. */
    Optional<ObjectAnswer> await() {
      try {
        PlainHead head = connection.awaitHead();
        if (isFound(head.status())) {
          return Optional.of(ObjectAnswer.of(head, connection));
        }
        connection.abort();
        refused(objectName, head.status());
      } catch (IOException e) {
        connection.abort();
        LOG.debug("A presigned GET of {} was not answered", objectName, e);
      } catch (Throwable e) {
        connection.abort();
        throw e;
      }
      return Optional.empty();
    }

    void abort() {
      connection.abort();
    }
  }

  /**
   * A presigned one.
   *
   * @param plainHead of a request over a plain connection; null if there is none for it
   */
  private record Address(SdkHttpRequest request, @Nullable String plainHead) {}
}
