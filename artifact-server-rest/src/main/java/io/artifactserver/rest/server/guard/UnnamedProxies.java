package io.artifactserver.rest.server.guard;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices proxies in front that nobody named: addresses whose requests say that they come from many
 * clients. Anybody can write such fields, so what is noticed is told to operators and changes
 * nothing. Thread-safe.
 */
public final class UnnamedProxies {
  private static final Logger LOG = LoggerFactory.getLogger(UnnamedProxies.class);

  /** Clients that make an address a proxy. A client that changes its network has two or three. */
  private static final int CLIENTS = 8;

  private static final int MAX_SUSPECTS = 256;
  private static final int MAX_FOUND = 16;
  private static final Duration SUSPECTED = Duration.ofMinutes(10);
  private static final Duration REMEMBERED = Duration.ofDays(1);
  private static final long LOG_NANOS = Duration.ofHours(1).toNanos();

  private final Consumer<List<String>> sink;
  private final AtomicLong lastLog = new AtomicLong(System.nanoTime() - LOG_NANOS);
  private final Cache<InetAddress, Set<Integer>> suspects =
      Caffeine.newBuilder()
          .executor(Runnable::run)
          .maximumSize(MAX_SUSPECTS)
          .expireAfterWrite(SUSPECTED)
          .build();
  private final Cache<InetAddress, Boolean> found =
      Caffeine.newBuilder()
          .executor(Runnable::run)
          .maximumSize(MAX_FOUND)
          .expireAfterWrite(REMEMBERED)
          .build();

  /** For one thread. */
  private List<String> told = List.of();

  /**
   * @param sink is told of all addresses when they change, on a thread that may block
   */
  public UnnamedProxies(Consumer<List<String>> sink) {
    this.sink = sink;
  }

  /** Returns the addresses that were noticed within a day. */
  public List<String> addresses() {
    return found.asMap().keySet().stream().map(InetAddress::getHostAddress).sorted().toList();
  }

  /** Returns the field that says for whom a proxy asks; null if there is none. For each request. */
  static @Nullable HttpField forwarded(HttpFields fields) {
    HttpField via = null;
    for (HttpField field : fields) {
      HttpHeader header = field.getHeader();
      if (header == HttpHeader.X_FORWARDED_FOR || header == HttpHeader.FORWARDED) {
        return field;
      }
      if (header == HttpHeader.VIA) {
        via = field;
      }
    }
    return via;
  }

  /**
   * Notes a request that came through a proxy.
   *
   * @param peer that is not named
   * @param forwarded as {@link #forwarded} found it
   */
  void note(InetAddress peer, HttpField forwarded, HttpFields fields) {
    if (found.getIfPresent(peer) != null) {
      return;
    }
    // Via names proxies alone, so their devices are told apart by their tokens.
    String client =
        forwarded.getHeader() == HttpHeader.VIA
            ? fields.get(HttpHeader.AUTHORIZATION)
            : forwarded.getValue();
    if (client == null) {
      return;
    }
    Set<Integer> clients = suspects.get(peer, _ -> ConcurrentHashMap.newKeySet());
    clients.add(client.hashCode());
    if (clients.size() >= CLIENTS) {
      found.put(peer, Boolean.TRUE);
      suspects.invalidate(peer);
      log(peer);
    }
  }

  /** Tells the sink what has changed. */
  void tell() {
    List<String> now = addresses();
    if (!now.equals(told)) {
      told = now;
      sink.accept(now);
    }
  }

  private void log(InetAddress peer) {
    long now = System.nanoTime();
    long last = lastLog.get();
    if (now - last >= LOG_NANOS && lastLog.compareAndSet(last, now)) {
      LOG.warn(
          "{} sends requests from many clients, which count as one. If it is your reverse proxy, name"
              + " it in artifact-server.connections.trusted-proxies",
          peer.getHostAddress());
    }
  }
}
