package io.artifactserver.rest.api.outbound;

import java.net.InetAddress;
import java.time.Duration;
import java.util.function.Predicate;
import javax.net.ssl.SSLContext;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.client.ProxyAuthenticationProtocolHandler;
import org.eclipse.jetty.client.WWWAuthenticationProtocolHandler;
import org.eclipse.jetty.client.transport.HttpClientTransportOverHTTP;
import org.eclipse.jetty.http.HttpCookieStore;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.util.component.LifeCycle;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP client that connects to allowed hosts only, at addresses that were checked. It follows no
 * redirects, and sends no credentials, cookies or referrers. Thread-safe.
 *
 * <p>It is Jetty's client, because Java's own looks names up by itself: it cannot be made to
 * connect to the address that was checked.
 */
public final class CheckedClient implements AutoCloseable {
  private static final int MAX_THREADS = 16;

  private final String threads;
  private final AllowedHosts hosts;
  private final Duration timeout;
  private final CheckedAddresses.Names names;
  private final Predicate<InetAddress> isPublic;
  private final @Nullable SSLContext trust;

  /** Null before the first request: most servers ask nobody. Guarded by this object. */
  private @Nullable HttpClient client;

  /**
   * @param threads name of each of its threads
   * @param timeout of a connection, until it stands and without a byte
   * @param trust in servers; null for what Java trusts
   */
  public CheckedClient(
      String threads,
      AllowedHosts hosts,
      Duration timeout,
      CheckedAddresses.Names names,
      Predicate<InetAddress> isPublic,
      @Nullable SSLContext trust) {
    this.threads = threads;
    this.hosts = hosts;
    this.timeout = timeout;
    this.names = names;
    this.isPublic = isPublic;
    this.trust = trust;
  }

  /** The client, which the first call starts. */
  public synchronized HttpClient started() {
    HttpClient known = client;
    if (known == null) {
      known = newClient();
      client = known;
    }
    return known;
  }

  private HttpClient newClient() {
    SslContextFactory.Client tls = new SslContextFactory.Client();
    tls.setSslContext(trust);
    QueuedThreadPool pool = new QueuedThreadPool(MAX_THREADS, 1);
    pool.setName(threads);
    pool.setDaemon(true);
    HttpClient fresh = new HttpClient(new HttpClientTransportOverHTTP(1));
    fresh.setExecutor(pool);
    fresh.setSslContextFactory(tls);
    fresh.setSocketAddressResolver(new CheckedAddresses(hosts, names, isPublic, pool));
    fresh.setConnectTimeout(timeout.toMillis());
    fresh.setIdleTimeout(timeout.toMillis());
    fresh.setFollowRedirects(false);
    fresh.setHttpCookieStore(new HttpCookieStore.Empty());
    fresh.setUserAgentField(new HttpField(HttpHeader.USER_AGENT, "artifact-server"));
    LifeCycle.start(fresh);
    fresh.getContentDecoderFactories().clear();
    var _ = fresh.getProtocolHandlers().remove(WWWAuthenticationProtocolHandler.NAME);
    var _ = fresh.getProtocolHandlers().remove(ProxyAuthenticationProtocolHandler.NAME);
    return fresh;
  }

  @Override
  public synchronized void close() {
    LifeCycle.stop(client);
  }
}
