package io.artifactserver.rest.server.guard;

import io.artifactserver.core.limit.Network;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SelectableChannel;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.SelectableChannelEndPoint;
import org.eclipse.jetty.io.SelectorManager;
import org.eclipse.jetty.server.AbstractConnector;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.IO;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All open connections: how many there may be, and which have waited for too long. Thread-safe.
 *
 * <p>One thread looks at all of them now and then. Nothing is scheduled for a request, a read or a
 * write, and what is asked is what the connections know anyway: when a byte last moved, whether a
 * write is pending, what the parser waits for.
 */
public final class Connections
    implements Connection.Listener, SelectorManager.AcceptListener, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Connections.class);

  private static final int MIN_ANSWERED = 16;

  private static final long WARNING_NANOS = 60_000_000_000L;

  /**
   * The part of what may be held that is for heads of HTTP/1.1 that have not come whole. They come
   * in one packet as a rule; what stays for long survives the young generation, and collecting the
   * whole heap makes everybody wait.
   */
  private static final int HEADS_SHARE = 5;

  private final ConnectionProperties properties;
  private final ClientAddresses addresses;
  private final UnnamedProxies proxies;
  private final Holdings heads;
  private final Holdings holdings;
  private final int max;
  private final int hardLimit;
  private final MemoryRelief relief = new MemoryRelief();
  private final Map<EndPoint, Watched> open = new ConcurrentHashMap<>();

  /** Accepted, and not open yet: in a burst all of them are, before a selector has seen one. */
  private final Set<SelectableChannel> accepting = ConcurrentHashMap.newKeySet();

  private final Map<Network, Integer> perClient = new ConcurrentHashMap<>();
  private final AtomicInteger count = new AtomicInteger();
  private final Room room;
  private final AtomicBoolean isMakingRoom = new AtomicBoolean();
  private final AtomicInteger refused = new AtomicInteger();
  private final AtomicLong lastWarning = new AtomicLong(System.nanoTime() - WARNING_NANOS);
  private final ConnectionCounters counters;
  private final ScheduledExecutorService sweeper =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("connections").factory());

  /** Watches the connections of the servers it is {@link #watch told} of, until it is closed. */
  public Connections(
      ConnectionProperties properties, UnnamedProxies proxies, MeterRegistry registry) {
    this.proxies = proxies;
    this.properties = properties;
    this.addresses =
        new ClientAddresses(properties.trustedProxies().stream().map(Network::parse).toList());
    Capacity capacity = Capacity.of(properties);
    long maxHeads = capacity.held() / HEADS_SHARE;
    this.heads = new Holdings(maxHeads);
    this.holdings = new Holdings(capacity.held() - maxHeads);
    this.max = capacity.connections();
    this.room = new Room(max);
    this.hardLimit = max + Math.max(MIN_ANSWERED, max / Capacity.ANSWERED_SHARE);
    this.counters =
        new ConnectionCounters(registry, count::get, () -> heads.total() + holdings.total());
    lookEvery(properties.sweepPeriod(), this::sweep);
    lookEvery(
        MemoryRelief.PERIOD, () -> counters.ended(End.HELD, relief.endStalled(open.values())));
  }

  private void lookEvery(Duration period, Runnable look) {
    long millis = period.toMillis();
    Runnable looking =
        () -> {
          try {
            look.run();
          } catch (RuntimeException e) {
            // It would be the last look.
            LOG.error("Checking the connections failed", e);
          }
        };
    var _ = sweeper.scheduleWithFixedDelay(looking, millis, millis, TimeUnit.MILLISECONDS);
  }

  /** Watches a server's connections; to be called before it starts. */
  public void watch(Server server) {
    relief.use(server.getByteBufferPool());
    for (Connector connector : server.getConnectors()) {
      if (connector instanceof AbstractConnector watched) {
        watched.addBean(this);
        // Jetty's own clock starts again with each byte that moves, and calls a write idle while a
        // slow client takes what is in the socket's buffer. Far off, it is left for what is not
        // looked at here.
        long backstop = properties.backstop().toMillis();
        watched.setIdleTimeout(backstop);
        watched.setShutdownIdleTimeout(backstop);
      }
    }
  }

  /** Whether, and why, a request is to be answered with 503 and its connection closed. */
  public Optional<Refusal> refusal(Request request) {
    if (!isRefusing()) {
      return Optional.empty();
    }
    Watched watched = watched(request);
    return watched == null ? Optional.empty() : Optional.ofNullable(watched.refusal());
  }

  /** Whether some connections are refused, so that each request has to be looked at. */
  public boolean isRefusing() {
    return refused.get() != 0;
  }

  /** Where a request's body is to be watched. */
  public Pace pace(Request request) {
    if (properties.minRate().toBytes() == 0) {
      return Pace.UNWATCHED;
    }
    Watched watched = watched(request);
    return watched == null ? Pace.UNWATCHED : watched;
  }

  /**
   * The server holds the answer to a request of HTTP/1.1 back, until {@link #release}.
   *
   * @param left runs on the sweep's thread if the client closes the connection meanwhile; null when
   *     the answer is sent
   */
  public void hold(Request request, @Nullable Runnable left) {
    Watched watched = watched(request);
    if (watched != null) {
      watched.hold(left);
    }
  }

  /** The answer is sent now. May be called without {@link #hold}. */
  public void release(Request request) {
    hold(request, null);
  }

  /** An account of what the server holds for the connection's peer; its owner closes it. */
  public Holdings.Holding holding(EndPoint endPoint) {
    return holding(endPoint, holdings);
  }

  /** The same, of a head that has come in part. */
  public Holdings.Holding holdingOfHead(EndPoint endPoint) {
    return holding(endPoint, heads);
  }

  private Holdings.Holding holding(EndPoint endPoint, Holdings of) {
    EndPoint socket = unwrapped(endPoint);
    return of.open(
        addresses.client(endPoint.getRemoteSocketAddress()),
        () -> {
          counters.ended(End.HELD, 1);
          socket.close(new TimeoutException("The server holds too many unread answers"));
        });
  }

  /** Returns the client that a connection counts for; empty if its address tells none. */
  public Optional<Network> client(EndPoint endPoint) {
    return Optional.ofNullable(addresses.client(endPoint.getRemoteSocketAddress()));
  }

  /** Returns the client that a request counts for; null if its address tells none. */
  public @Nullable Object client(Request request) {
    return addresses.client(request.getConnectionMetaData().getRemoteSocketAddress());
  }

  /** Returns the address that a request comes from, behind trusted proxies as they say. */
  public Optional<InetAddress> origin(Request request) {
    return addresses.origin(
        request.getConnectionMetaData().getRemoteSocketAddress(), request.getHeaders());
  }

  /** Notices whether a request came through a proxy that nobody named. For each request. */
  public void lookForProxy(Request request) {
    HttpField forwarded = UnnamedProxies.forwarded(request.getHeaders());
    if (forwarded != null
        && request.getConnectionMetaData().getRemoteSocketAddress()
            instanceof InetSocketAddress peer
        && addresses.client(peer) != null) {
      proxies.note(peer.getAddress(), forwarded, request.getHeaders());
    }
  }

  /** Ends every connection now, whatever it does. */
  public void endAll() {
    open.keySet().forEach(endPoint -> endPoint.close(new TimeoutException("The server stops")));
  }

  /** How many are open. */
  public int count() {
    return count.get();
  }

  @Override
  public void onAccepting(SelectableChannel channel) {
    accepting.add(channel);
    if (count.get() + accepting.size() > hardLimit) {
      accepting.remove(channel);
      counters.ended(End.LIMIT, 1);
      IO.close(channel);
    }
  }

  @Override
  public void onAcceptFailed(SelectableChannel channel, Throwable cause) {
    accepting.remove(channel);
  }

  @Override
  public void onOpened(Connection connection) {
    // For a TLS connection this is the outer one, whose end is the socket's.
    if (connection.getEndPoint() instanceof SelectableChannelEndPoint endPoint) {
      int total = count.incrementAndGet();
      accepting.remove(endPoint.getChannel());
      Network client = addresses.client(endPoint.getRemoteSocketAddress());
      int ofClient = client == null ? 0 : perClient.merge(client, 1, Integer::sum);
      boolean isTooMany = properties.maxPerAddress() != 0 && ofClient > properties.maxPerAddress();
      Refusal refusal =
          total > max && !makesRoom() ? Refusal.TOTAL : isTooMany ? Refusal.ADDRESS : null;
      if (refusal != null) {
        refused.incrementAndGet();
        refused(refusal, endPoint);
      }
      open.put(endPoint, new Watched(endPoint, client, refusal));
    }
  }

  @Override
  public void onClosed(Connection connection) {
    Watched watched = open.remove(connection.getEndPoint());
    if (watched != null) {
      count.decrementAndGet();
      if (watched.client() != null) {
        perClient.computeIfPresent(watched.client(), (key, open) -> open == 1 ? null : open - 1);
      }
      if (watched.refusal() != null) {
        refused.decrementAndGet();
      }
    }
  }

  /** Returns false if there is none to be made. */
  private boolean makesRoom() {
    if (!isMakingRoom.compareAndSet(false, true)) {
      return true;
    }
    List<Watched> idle =
        room.of(open.values(), client -> client == null ? 0 : perClient.getOrDefault(client, 0));
    if (idle.isEmpty()) {
      isMakingRoom.set(false);
      return false;
    }
    sweeper.execute(() -> {
      try {
        counters.ended(End.ROOM, idle.size());
        idle.forEach(each -> each.endPoint().close(new TimeoutException("Others need its place")));
      } finally {
        isMakingRoom.set(false);
      }
    });
    return true;
  }

  @Override
  public void close() {
    sweeper.shutdownNow();
  }

  private @Nullable Watched watched(Request request) {
    return open.get(unwrapped(request.getConnectionMetaData().getConnection().getEndPoint()));
  }

  /** Returns the socket's end point, below that of TLS. */
  public static EndPoint unwrapped(EndPoint endPoint) {
    EndPoint inner = endPoint;
    while (inner instanceof EndPoint.Wrapper wrapper) {
      inner = wrapper.unwrap();
    }
    return inner;
  }

  private void sweep() {
    proxies.tell();
    Sweep sweep = new Sweep(properties, System.nanoTime());
    for (Watched watched : open.values()) {
      sweep
          .end(watched)
          .ifPresent(end -> {
            counters.ended(end, 1);
            LOG.debug("Ends {}: {}", watched.endPoint(), end);
            watched.endPoint().close(new TimeoutException("A client took too long: " + end));
          });
    }
  }

  private void refused(Refusal refusal, EndPoint endPoint) {
    counters.refused(refusal, 1);
    long now = System.nanoTime();
    long last = lastWarning.get();
    if (now - last > WARNING_NANOS && lastWarning.compareAndSet(last, now)) {
      LOG.warn(
          "Refuses connections, such as {}: {}",
          endPoint.getRemoteSocketAddress(),
          switch (refusal) {
            case TOTAL -> "there are " + max + " (artifact-server.connections.max)";
            case ADDRESS ->
                "its address has artifact-server.connections.max-per-address="
                    + properties.maxPerAddress();
          });
    }
  }
}
