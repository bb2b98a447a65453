package io.artifactserver.rest.server.guard;

import io.artifactserver.core.limit.Network;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;
import org.springframework.util.unit.DataSize;

/**
 * Connections. Immutable.
 *
 * @param max most at the same time; default 20000. More are answered with 503 and closed. Raise it
 *     with the limit of open files and the memory, some 20 KB each. A process with too small a heap
 *     or too few files takes fewer, and says so.
 * @param maxPerAddress most at the same time of one address, of IPv6 of one /64 network; default 0,
 *     which is no limit. Set it where addresses are devices; behind a NAT a whole site has one.
 * @param trustedProxies addresses and networks, such as 10.0.0.0/8, that {@code maxPerAddress} does
 *     not count and whose X-Forwarded-For limits by address believe; default none. Set it to the
 *     reverse proxies in front.
 * @param idleTimeout after which a connection without a request is closed; default 1 minute. Raise
 *     it for devices that ask seldom and connect at a high cost.
 * @param requestTimeout in which the head of a request comes, from its first byte; default 20
 *     seconds. Raise it for links that lose whole seconds.
 * @param stallTimeout after which a connection is closed whose client sends nothing at all in the
 *     middle of a body; default 2 minutes. One whose client takes nothing gives way then, if its
 *     place is wanted. Raise it for links that are away for longer.
 * @param maxStall after which a connection is closed whose client takes nothing at all in the
 *     middle of a body, though nobody wants its place; default 10 minutes, and never less than
 *     {@code stallTimeout}. Raise it for devices that write to a slow flash between two reads.
 * @param minRate bytes per second that a client in the middle of a body takes or sends at least;
 *     default 0, which is no limit. Set it where trickling clients are attackers and not devices.
 * @param rateWindow over which {@code minRate} is an average; default 1 minute. Longer than a
 *     device's link is away.
 * @param maxHeld most bytes, estimated, that the server holds for its clients before it has
 *     answered: heads that came in part, connections of HTTP/2 and their requests whose answers
 *     nobody takes; default 80 MB. Beyond it, the client that makes it hold most loses its
 *     connections. Raise it with the heap, 8 KB for each connection of HTTP/2 and for each request
 *     on one.
 */
@ConfigurationProperties("artifact-server.connections")
public record ConnectionProperties(
    @DefaultValue("20000") int max,
    @DefaultValue("0") int maxPerAddress,
    @DefaultValue({}) List<String> trustedProxies,
    @DefaultValue("1m") Duration idleTimeout,
    @DefaultValue("20s") Duration requestTimeout,
    @DefaultValue("2m") Duration stallTimeout,
    @DefaultValue("10m") Duration maxStall,
    @DefaultValue("0B") DataSize minRate,
    @DefaultValue("1m") Duration rateWindow,
    @DefaultValue("80MB") DataSize maxHeld) {
  private static final long MIN_HELD = 1 << 20;

  private static final Duration MAX_PERIOD = Duration.ofSeconds(5);
  private static final Duration MIN_PERIOD = Duration.ofMillis(50);
  private static final int SWEEPS_PER_TIMEOUT = 4;

  /**
   * @throws IllegalArgumentException if a value is out of its bounds
   */
  public ConnectionProperties {
    trustedProxies = List.copyOf(trustedProxies);
    trustedProxies.forEach(Network::parse);
    require(max >= 1, "max must be at least 1, not " + max);
    require(maxPerAddress >= 0, "max-per-address must not be negative, but is " + maxPerAddress);
    require(!minRate.isNegative(), "min-rate must not be negative, but is " + minRate);
    require(
        maxHeld.toBytes() >= MIN_HELD,
        "max-held must be at least 1 MB, not " + maxHeld.toBytes() + " bytes");
    requirePositive("idle-timeout", idleTimeout);
    requirePositive("request-timeout", requestTimeout);
    requirePositive("stall-timeout", stallTimeout);
    requirePositive("max-stall", maxStall);
    maxStall = Collections.max(List.of(maxStall, stallTimeout));
    requirePositive("rate-window", rateWindow);
  }

  /** How often to look at all connections: a quarter of the shortest time-out, within reason. */
  Duration sweepPeriod() {
    Duration shortest =
        Collections.min(List.of(idleTimeout, requestTimeout, stallTimeout, rateWindow))
            .dividedBy(SWEEPS_PER_TIMEOUT);
    return Collections.min(List.of(MAX_PERIOD, Collections.max(List.of(MIN_PERIOD, shortest))));
  }

  /** When to end a connection that the sweep does not, for whatever reason. */
  Duration backstop() {
    return Collections.max(List.of(idleTimeout, maxStall)).multipliedBy(SWEEPS_PER_TIMEOUT);
  }

  private static void requirePositive(String name, Duration duration) {
    require(duration.isPositive(), name + " is positive, not " + duration);
  }

  private static void require(boolean isSo, String rule) {
    Assert.isTrue(isSo, "artifact-server.connections." + rule);
  }
}
