package io.artifactserver.rest.api.fetch;

import io.artifactserver.core.fetch.RemoteChangedException;
import io.artifactserver.core.fetch.RemoteFile;
import io.artifactserver.core.fetch.RemoteFiles;
import io.artifactserver.core.fetch.RemoteRefusedException;
import io.artifactserver.rest.api.outbound.CheckedAddresses;
import io.artifactserver.rest.api.outbound.CheckedClient;
import io.artifactserver.rest.api.outbound.Failures;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import org.eclipse.jetty.client.InputStreamResponseListener;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.http.HttpHeader;
import org.jspecify.annotations.Nullable;

/**
 * Files on HTTPS servers. It follows redirects itself, because each address on the way has to be
 * one that is allowed. Thread-safe.
 */
final class HttpsFiles implements RemoteFiles, AutoCloseable {
  static final int MAX_REDIRECTS = 5;

  private static final Set<Integer> REDIRECTS = Set.of(301, 302, 303, 307, 308);

  /** Statuses of a server that may answer otherwise soon. */
  private static final Set<Integer> PASSING = Set.of(408, 425, 429);

  private static final int OK = 200;
  private static final int PARTIAL = 206;
  private static final int RANGE_NOT_SATISFIABLE = 416;
  private static final int SERVER_ERROR = 500;

  private final FetchProperties properties;
  private final CheckedClient client;

  /**
   * @param trust in servers; null for what Java trusts
   */
  HttpsFiles(
      FetchProperties properties,
      CheckedAddresses.Names names,
      Predicate<InetAddress> isPublic,
      @Nullable SSLContext trust) {
    this.properties = properties;
    this.client =
        new CheckedClient(
            "fetch-client",
            properties.allowed(),
            properties.stallTimeout(),
            names,
            isPublic,
            trust);
  }

  /** Returns what is wrong with an address, whatever its host; empty if nothing is. */
  static Optional<String> fault(URI url) {
    return "https".equalsIgnoreCase(url.getScheme())
            && url.getHost() != null
            && url.getRawUserInfo() == null
            && url.getRawFragment() == null
        ? Optional.empty()
        : Optional.of("must be an https address with a host, and without a user or a fragment");
  }

  @Override
  public RemoteFile open(URI url, long position, String validator, Duration patience)
      throws IOException {
    URI next = url;
    for (int redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      Body body = ask(next, position, validator, patience);
      int status = body.status();
      if (!REDIRECTS.contains(status)) {
        return checked(body, position);
      }
      body.close();
      next = target(next, body.field(HttpHeader.LOCATION));
    }
    throw new RemoteRefusedException(
        "%s redirects more than %d times".formatted(url.getHost(), MAX_REDIRECTS));
  }

  /** Waits for the head of the answer. */
  private Body ask(URI url, long position, String validator, Duration patience) throws IOException {
    Request request =
        client
            .started()
            .newRequest(url)
            .timeout(Math.max(1, patience.toMillis()), TimeUnit.MILLISECONDS)
            .headers(fields -> {
              // Bytes as they are: the digest is theirs.
              fields.put(HttpHeader.ACCEPT_ENCODING, "identity");
              if (position > 0) {
                fields.put(HttpHeader.RANGE, "bytes=" + position + '-');
                fields.put(HttpHeader.IF_RANGE, validator);
              }
            });
    InputStreamResponseListener listener = new InputStreamResponseListener();
    request.send(listener);
    try {
      // Longer than the client waits itself, but for a look-up of the name.
      return new Body(
          listener.get(2 * properties.stallTimeout().toMillis(), TimeUnit.MILLISECONDS), listener);
    } catch (ExecutionException e) {
      throw failure(url, e.getCause() == null ? e : e.getCause());
    } catch (TimeoutException e) {
      var _ = request.abort(e);
      throw failure(url, e);
    } catch (InterruptedException e) {
      var _ = request.abort(e);
      Thread.currentThread().interrupt();
      throw new RemoteRefusedException("the server stops", e);
    }
  }

  private static IOException failure(URI url, Throwable cause) {
    return switch (cause) {
      case RemoteRefusedException refused -> refused;
      case SSLHandshakeException tls ->
          new RemoteRefusedException(
              "%s is not trusted: %s".formatted(url.getHost(), tls.getMessage()), tls);
      default ->
          new IOException(
              "%s cannot be reached: %s".formatted(url.getAuthority(), Failures.reason(cause)),
              cause);
    };
  }

  private static RemoteFile checked(Body body, long position) throws IOException {
    int status = body.status();
    String host = body.host();
    boolean isRest = position > 0 && status == PARTIAL && body.beginsAt(position);
    if (isRest || (position == 0 && status == OK)) {
      return body;
    }
    body.close();
    if (position > 0 && (status == OK || status == RANGE_NOT_SATISFIABLE)) {
      throw new RemoteChangedException("the file on %s is another one now".formatted(host));
    }
    String message = "%s answered %d".formatted(host, status);
    throw status >= SERVER_ERROR || PASSING.contains(status)
        ? new IOException(message)
        : new RemoteRefusedException(message);
  }

  private URI target(URI from, String location) throws RemoteRefusedException {
    URI next;
    try {
      next = URI.create(from.resolve(location).toASCIIString());
    } catch (IllegalArgumentException e) {
      throw new RemoteRefusedException(from.getHost() + " redirects to what is no address", e);
    }
    if (location.isEmpty()
        || fault(next).isPresent()
        || !properties.lists(next.getHost(), next.getPort())) {
      throw new RemoteRefusedException(
          "%s redirects to %s://%s, which is not in artifact-server.fetch.hosts"
              .formatted(from.getHost(), next.getScheme(), next.getRawAuthority()));
    }
    return next;
  }

  @Override
  public void close() {
    client.close();
  }
}
