package io.artifactserver.rest.command.doctor;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;

/**
 * Checks this machine's settings of TCP. Immutable, thread-safe.
 *
 * @param connections that are expected at a time
 */
record NetworkCheck(Host host, int connections) {
  static final Duration CONTINENT = Duration.ofMillis(50);
  static final Duration OCEAN = Duration.ofMillis(200);

  /**
   * The share of a send buffer that is payload on its way, on average: the kernel counts its own
   * bookkeeping too, and wakes the server only when a third is free. Measured at 200 ms, from 4 to
   * 16 MiB: docs/networking.md.
   */
  private static final double IN_FLIGHT = 0.75;

  /** Bytes; what a device that takes 44 MB/s over an ocean needs. */
  private static final long GOOD_BUFFER = 16L << 20;

  private static final long GREAT_BUFFER = 64L << 20;

  /** Bytes; a stream of 20 MB/s over 50 ms, for uploads. */
  private static final long GOOD_RECEIVE_BUFFER = 4L << 20;

  /** Bytes; two pieces. */
  private static final int GOOD_UNSENT = 128 * 1024;

  private static final long MAX_UNSENT = 1 << 20;

  /** The queue that the server asks for, and the kernel cuts without a word. */
  private static final int BACKLOG = 4096;

  private static final String SEND_BUFFER = "net.ipv4.tcp_wmem";

  List<Finding> findings() {
    List<Finding> findings = new ArrayList<>();
    findings.add(judge(SEND_BUFFER, this::sendBuffer));
    findings.add(judge("net.ipv4.tcp_rmem", this::receiveBuffer));
    findings.add(congestionControl());
    findings.add(judge("net.ipv4.tcp_slow_start_after_idle", this::slowStartAfterIdle));
    findings.add(judge("net.ipv4.tcp_notsent_lowat", this::unsent));
    findings.add(judge("net.core.somaxconn", NetworkCheck::backlog));
    findings.add(judge("net.ipv4.tcp_max_syn_backlog", this::synBacklog));
    setting("net.ipv4.tcp_mem").map(this::bufferMemory).ifPresent(findings::add);
    setting("net.netfilter.nf_conntrack_max").map(this::tracked).ifPresent(findings::add);
    return findings;
  }

  private static Finding unseen(String name) {
    return Finding.warn(name, "unknown", "cannot be read here; look on the host", "sysctl " + name);
  }

  private Finding judge(String name, Function<Setting, Finding> judgement) {
    return setting(name).map(judgement).orElseGet(() -> unseen(name));
  }

  private Optional<Setting> setting(String name) {
    OptionalLong limit = host.limit(name);
    return limit.isEmpty()
        ? Optional.empty()
        : host.setting(name).map(value -> new Setting(name, value, limit.getAsLong()));
  }

  /**
   * The most that one connection carries: {@value #IN_FLIGHT} of the largest send buffer in every
   * round trip, without loss and with a receiver who takes it.
   *
   * @return bytes a second; empty if the machine does not tell its buffers
   */
  Optional<Double> singleStream(Duration roundTrip) {
    return setting(SEND_BUFFER).map(buffer -> IN_FLIGHT * buffer.limit * 1e9 / roundTrip.toNanos());
  }

  private Finding sendBuffer(Setting buffer) {
    String meaning =
        "one connection sends at most %s at a round trip of 50 ms, %s at 200 ms"
            .formatted(
                singleStream(CONTINENT).map(Amount::rate).orElseThrow(),
                singleStream(OCEAN).map(Amount::rate).orElseThrow());
    return buffer.limit >= GOOD_BUFFER
        ? buffer.ok(meaning)
        : buffer.warn(meaning, fix(buffer, "4096 16384 " + GREAT_BUFFER, GREAT_BUFFER));
  }

  private Finding receiveBuffer(Setting buffer) {
    String room = Amount.room(buffer.limit) + " at most to receive an upload with";
    return buffer.limit >= GOOD_RECEIVE_BUFFER
        ? buffer.ok(room)
        : buffer.warn(
            room + ": uploads from afar are slow",
            fix(buffer, "4096 131072 " + GREAT_BUFFER, GREAT_BUFFER));
  }

  private Finding congestionControl() {
    String name = "net.ipv4.tcp_congestion_control";
    Optional<String> value = host.setting(name);
    if (value.isEmpty()) {
      return unseen(name);
    }
    if (value.get().startsWith("bbr")) {
      return Finding.ok(name, value.get(), "keeps its rate when packets are lost");
    }
    boolean available =
        host.setting("net.ipv4.tcp_available_congestion_control").orElse("").contains("bbr");
    String onHost = "sysctl -w " + name + "=bbr";
    return Finding.warn(
        name,
        value.get(),
        "takes every lost packet for congestion; bbr was 7 times as fast at 200 ms and 0.1 % loss",
        (available ? onHost : "modprobe tcp_bbr && " + onHost)
            + (host.isContainer()
                ? "    # on the host, then recreate the container, which takes it over"
                : ""));
  }

  private Finding slowStartAfterIdle(Setting slowStart) {
    return slowStart.limit == 0
        ? slowStart.ok("a connection that paused goes on at the rate it had")
        : slowStart.warn(
            "a device that writes its flash between two ranges starts slowly after each pause",
            fix(slowStart, "0", GOOD_BUFFER));
  }

  private Finding unsent(Setting unsent) {
    return unsent.limit <= MAX_UNSENT
        ? unsent.ok("a slow device's socket takes little more than is on its way")
        : unsent.warn(
            "a slow device's socket takes megabytes at once: thousands that start together delay"
                + " the others",
            fix(unsent, GOOD_UNSENT + "", GOOD_BUFFER));
  }

  private static Finding backlog(Setting limit) {
    long queue = Math.min(limit.limit, BACKLOG);
    String meaning = queue + " new connections at once wait to be accepted; more try again in 1 s";
    return queue == BACKLOG
        ? limit.ok(meaning)
        : limit.warn(meaning, set(limit.name, BACKLOG + ""));
  }

  private Finding synBacklog(Setting backlog) {
    if (host.setting("net.ipv4.tcp_syncookies").orElse("").equals("0") && backlog.limit < BACKLOG) {
      return backlog.warn(
          "without SYN cookies, more connections than that at once are refused",
          set("net.ipv4.tcp_syncookies", "1"));
    }
    return backlog.ok("half-open connections; SYN cookies take what is beyond them");
  }

  /** Pages that all connections of the machine share, those of containers included. */
  private Finding bufferMemory(Setting pages) {
    long bytes = pages.limit * 4096;
    long needed = connections * (64L << 10);
    String meaning = "all TCP buffers of the machine together take at most " + Amount.room(bytes);
    return bytes >= needed
        ? pages.ok(meaning)
        : pages.warn(
            meaning + "; %d connections need %s".formatted(connections, Amount.room(needed)),
            set(
                pages.name,
                "%d %d %d".formatted(needed / 8192, needed * 3 / 16384, needed / 4096)));
  }

  private Finding tracked(Setting most) {
    // A connection that ended is remembered for two minutes.
    return most.limit >= connections * 2L
        ? most.ok("connections that the firewall or Docker's NAT remembers")
        : most.warn(
            "beyond that many connections the firewall drops packets",
            set(most.name, Math.max(262144, connections * 2L) + ""));
  }

  /** Sets it here, or for a container with the variable of its compose file. */
  private String fix(Setting setting, String value, long composeBuffer) {
    return host.isContainer()
        ? "TCP_BUFFER=%d docker compose up --detach    # docs/networking.md, Sysctls"
            .formatted(composeBuffer)
        : set(setting.name, value);
  }

  private static String set(String name, String value) {
    return "sysctl -w %s=%s".formatted(name, value.contains(" ") ? "'" + value + "'" : value);
  }

  /**
   * A setting that is there.
   *
   * @param limit its only number, or the last one
   */
  private record Setting(String name, String value, long limit) {
    Finding ok(String meaning) {
      return Finding.ok(name, value, meaning);
    }

    Finding warn(String meaning, String fix) {
      return Finding.warn(name, value, meaning, fix);
    }
  }
}
