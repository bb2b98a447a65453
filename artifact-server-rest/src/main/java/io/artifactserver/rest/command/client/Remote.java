package io.artifactserver.rest.command.client;

import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.rest.command.client.ClientException.Reason;
import io.artifactserver.rest.http.DigestFields;
import io.artifactserver.rest.http.RequestPath;
import java.io.IOException;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * The server, as requests reach it. Follows no redirect: the token is for one host. Thread-safe.
 */
final class Remote implements AutoCloseable {
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(20);

  /** For an answer without a body that is worth speaking of. */
  private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(30);

  /** When no byte has moved for so long, the connection is dead. */
  private static final int STALL_SECONDS = 60;

  /** Java's is 16 KiB, and each of them is a turn of several threads. */
  private static final String BUFFER_LENGTH = String.valueOf(256 * 1024);

  private static final int ROUND_TRIPS = 3;
  private static final long FAR_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private static final Pattern UPLOAD_ID = Pattern.compile("[A-Za-z0-9_-]{1,200}");

  private final HttpClient client;
  private final String base;
  private final Optional<String> authorization;
  private final @Nullable SSLContext trusting;

  Remote(Settings settings) throws ClientException {
    // Read once, when the first client is made.
    System.setProperty("jdk.httpclient.bufsize", BUFFER_LENGTH);
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(CONNECT_TIMEOUT);
    this.trusting =
        settings.authorities().isPresent() ? trusting(settings.authorities().get()) : null;
    if (trusting != null) {
      builder.sslContext(trusting);
    }
    this.client = builder.build();
    this.base = settings.server().toString();
    this.authorization = settings.token().map(token -> "Bearer " + token);
  }

  /** The address of an artifact's bytes, behind the server's. */
  static String path(ArtifactId id) {
    return "/artifacts/"
        + RequestPath.encode(id.repository())
        + '/'
        + RequestPath.encode(id.path());
  }

  /** A request with the token. */
  HttpRequest.Builder request(String path) {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(base + path));
    authorization.ifPresent(value -> request.header("Authorization", value));
    return request;
  }

  /** Asks for an answer that is short. */
  HttpResponse<String> ask(HttpRequest.Builder request) throws IOException, InterruptedException {
    return ask(request, ANSWER_TIMEOUT);
  }

  /** The same, of a server that may have to work for it. */
  HttpResponse<String> ask(HttpRequest.Builder request, Duration timeout)
      throws IOException, InterruptedException {
    try {
      return client.send(request.timeout(timeout).build(), ShortBody.handler());
    } catch (ConnectException e) {
      throw unreachable(e);
    }
  }

  /**
   * Moves bytes, for however long that takes.
   *
   * @param moved changes while bytes move
   * @throws IOException also if nothing moves any more
   */
  <T> HttpResponse<T> transfer(HttpRequest request, BodyHandler<T> handler, LongSupplier moved)
      throws IOException, InterruptedException {
    CompletableFuture<HttpResponse<T>> answer = client.sendAsync(request, handler);
    long before = moved.getAsLong();
    long changedAt = System.nanoTime();
    try {
      while (true) {
        try {
          return answer.get(1, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
          long now = moved.getAsLong();
          if (now != before) {
            before = now;
            changedAt = System.nanoTime();
          } else if (System.nanoTime() - changedAt > TimeUnit.SECONDS.toNanos(STALL_SECONDS)) {
            throw stalled(e);
          }
        }
      }
    } catch (ExecutionException e) {
      if (e.getCause() instanceof ConnectException failure) {
        throw unreachable(failure);
      }
      if (e.getCause() instanceof IOException failure) {
        throw failure;
      }
      throw new IOException(e.getCause());
    } finally {
      var _ = answer.cancel(true);
    }
  }

  /**
   * A request for bytes, with the token; its thread waits for them. It fails when none comes any
   * more. Not sent yet.
   */
  HttpURLConnection open(String path) throws IOException {
    HttpURLConnection request =
        (HttpURLConnection) URI.create(base + path).toURL().openConnection();
    request.setInstanceFollowRedirects(false);
    request.setConnectTimeout((int) CONNECT_TIMEOUT.toMillis());
    request.setReadTimeout((int) TimeUnit.SECONDS.toMillis(STALL_SECONDS));
    authorization.ifPresent(value -> request.setRequestProperty("Authorization", value));
    if (trusting != null && request instanceof HttpsURLConnection secure) {
      secure.setSSLSocketFactory(trusting.getSocketFactory());
    }
    return request;
  }

  /** Sends such a request, and waits for the status of its answer. */
  int status(HttpURLConnection request) throws IOException {
    try {
      request.connect();
    } catch (ConnectException | SocketTimeoutException e) {
      throw unreachable(e);
    }
    int status = request.getResponseCode();
    if (status < 0) {
      throw new IOException("the answer is not HTTP");
    }
    return status;
  }

  static IOException stalled(Exception cause) {
    return new IOException("no byte got through for " + STALL_SECONDS + " s", cause);
  }

  /** Java names no server, and has no words for the most frequent reasons. */
  private IOException unreachable(IOException failure) {
    Throwable cause = failure;
    while (cause.getMessage() == null && cause.getCause() != null) {
      cause = cause.getCause();
    }
    String why =
        cause instanceof UnresolvedAddressException
            ? "there is no host of this name"
            : Objects.requireNonNullElse(cause.getMessage(), "nothing answers there");
    return new IOException("%s cannot be reached: %s".formatted(base, why), failure);
  }

  /** Whether it can be one, and cannot change the address that it is a part of. */
  static boolean isUploadId(String text) {
    return UPLOAD_ID.matcher(text).matches();
  }

  /** An artifact that the server has: {@code HEAD}. */
  record Found(long length, String entityTag, String sha256) {}

  /** Returns nothing if there is no artifact, or none that the token may read. */
  Optional<Found> find(ArtifactId id) throws IOException, InterruptedException, ClientException {
    HttpResponse<String> answer = ask(request(path(id)).method("HEAD", BodyPublishers.noBody()));
    int status = answer.statusCode();
    if (status == Answers.NOT_FOUND || status == Answers.GONE) {
      return Optional.empty();
    }
    if (status != Answers.OK) {
      throw Answers.refusal(answer, id.toString());
    }
    Optional<String> sha256 = answer.headers().firstValue("Repr-Digest").flatMap(Remote::sha256);
    Optional<String> entityTag = answer.headers().firstValue("ETag");
    long length = Answers.number(answer, "Content-Length").orElse(-1);
    if (sha256.isEmpty() || entityTag.isEmpty() || length < 0) {
      throw new ClientException(
          Reason.FAILED,
          "%s tells no SHA-256 of %s: is it an artifact-server?".formatted(base, id));
    }
    return Optional.of(new Found(length, entityTag.get(), sha256.get()));
  }

  /** Whether a round trip takes so long that several connections are faster than one. */
  boolean isFar(ArtifactId id) throws IOException, InterruptedException, ClientException {
    for (int i = 0; i < ROUND_TRIPS; i++) {
      long begin = System.nanoTime();
      var _ = find(id);
      if (System.nanoTime() - begin < FAR_NANOS) {
        return false;
      }
    }
    return true;
  }

  private static Optional<String> sha256(String field) {
    try {
      return DigestFields.parse(field).stream()
          .filter(digest -> digest.algorithm() == DigestAlgorithm.SHA_256)
          .map(Digest::hex)
          .findFirst();
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  /** The cause of a failure, for people. */
  static String reason(Throwable failure) {
    Throwable cause = failure;
    while (cause.getMessage() == null && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return switch (cause) {
      case NoSuchFileException _ -> "there is no such file";
      case UnknownHostException _ -> "there is no host of this name";
      case AccessDeniedException _ -> "not allowed";
      case ClosedChannelException _ -> "the connection was closed";
      default -> cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    };
  }

  private static SSLContext trusting(Path authorities) throws ClientException {
    try {
      return Authorities.trusting(authorities);
    } catch (IOException | GeneralSecurityException e) {
      throw new ClientException(
          Reason.MISUSED,
          "cannot read the authorities in %s: %s".formatted(authorities, reason(e)));
    }
  }

  @Override
  public void close() {
    client.shutdownNow();
  }
}
