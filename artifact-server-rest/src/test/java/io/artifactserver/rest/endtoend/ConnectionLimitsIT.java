package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static io.artifactserver.core.waiting.Throughout.throughout;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.nightly.InTurn;
import io.artifactserver.rest.endtoend.Wire.Response;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/**
 * There are as many connections as there may be. A test waits for as long as it takes: what counts
 * is who is ended. Those that read slowly are {@link SlowReadersIT}'s.
 */
@Transports(value = Transport.TLS13, nightly = Transport.HTTP1)
@InTurn(4)
class ConnectionLimitsIT extends ConnectionFixture {
  private static final String LARGE = "/artifacts/public/large.bin";

  @Override
  List<String> patience() {
    return List.of();
  }

  /** The others are busy for longer than the test takes: none is ended, none makes room. */
  @Test
  void beyondTheLimitIsA503AndHealthIsStillTold() throws Exception {
    Deque<Wire> busy = new ArrayDeque<>();
    try (Endpoint server = start("busy", "--artifact-server.connections.max=" + MAX)) {
      try {
        Optional<Response> answer = Optional.empty();
        while (answer.isEmpty() && busy.size() < 3 * MAX) {
          Wire download = server.open();
          busy.add(download);
          download.send("GET %s HTTP/1.1\r\nHost: device\r\n\r\n".formatted(LARGE));
          try (Wire wire = server.open()) {
            wire.send(SMALL);
            Response response = wire.receive(true);
            if (response.status() != 206) {
              answer = Optional.of(response);
              assertThat(wire.isClosedByServer()).isTrue();
            }
          }
        }
        Response refused = answer.orElseThrow();
        assertThat(refused.status()).isEqualTo(503);
        assertThat(refused.field("Retry-After")).contains("5");
        assertThat(refused.field("Connection")).contains("close");
        assertThat(refused.field("Content-Type")).contains("application/problem+json");
        assertThat(refused.text()).contains("Too many connections");
        try (Wire health = server.open()) {
          health.send("GET /actuator/health HTTP/1.1\r\nHost: probe\r\n\r\n");
          assertThat(health.receive(true).status()).isEqualTo(200);
        }
      } finally {
        for (Wire download : busy) {
          download.close();
        }
      }
      awaitServed(server);
    }
  }

  /** A device beside them goes on. */
  @Test
  void connectionsThatAskForNothingMakeRoom() throws Exception {
    List<Wire> silent = new ArrayList<>();
    try (Wire device = from("127.0.0.2");
        Operator operator = strict.operator()) {
      double before = ended(operator, "room");
      requireServed(device);
      // More than there may be, so that none is left when the server has refused some.
      for (int i = 0; i < 4 * MAX_PER_ADDRESS; i++) {
        Wire wire = from("127.0.0." + (3 + i / MAX_PER_ADDRESS));
        silent.add(wire);
        if (i % 3 == 1) {
          wire.send("GET / HTTP/1.1\r\nHost: half");
        } else if (i % 3 == 2) {
          wire.send(SMALL);
        }
        // It is never idle for long, however long the others take to connect.
        requireServed(device);
      }
      for (int i = 0; i < 5; i++) {
        eventually(
            "newcomer " + i + " is served",
            () -> {
              requireServed(device);
              return isServed();
            });
      }
      // The operator's own connection may have been idle.
      eventually("some have ended", () -> ended(operator, "room") > before);
    } finally {
      for (Wire wire : silent) {
        wire.close();
      }
    }
    awaitServed(strict);
  }

  /** The server may have closed it. */
  private static void askAgain(Wire wire) {
    try {
      wire.send(SMALL);
      wire.receive(true);
    } catch (IOException e) {
      // It has.
    }
  }

  /** Until somebody wants its place, it keeps it: it may be writing to a slow flash. */
  @Test
  void readersThatHaveLongTakenNothingMakeRoom() throws Exception {
    List<SlowReader> stalled = new ArrayList<>();
    List<Wire> newcomers = new ArrayList<>();
    try (Operator operator = patient.operator()) {
      double before = ended(operator, "room");
      for (Transport each : transport.ofOneServer()) {
        SlowReader reader =
            new SlowReader(patient.by(each), LARGE, InetAddress.ofLiteral("127.0.0.9"));
        reader.readTo(100_000);
        stalled.add(reader);
      }
      // Three times the stall-timeout.
      throughout(
          Duration.ofSeconds(9),
          () -> {
            assertThat(ended(operator, "stall")).isZero();
            assertThat(ended(operator, "room")).isEqualTo(before);
          });
      for (int i = 0; i < 4 * MAX && ended(operator, "room") < before + stalled.size(); i++) {
        Wire wire = patient.open(InetAddress.ofLiteral("127.0.0." + (10 + i % 100)));
        newcomers.add(wire);
        wire.send(SMALL);
        assertThat(wire.receive(true).status()).isIn(206, 503);
        // None of them is idle for long, so it is the readers that make room.
        for (Wire other : newcomers) {
          askAgain(other);
        }
      }
      for (SlowReader reader : stalled) {
        reader.readToEnd();
        assertThat(reader.received()).isLessThan(LENGTH);
      }
      assertThat(ended(operator, "stall")).isZero();
    } finally {
      for (SlowReader reader : stalled) {
        reader.close();
      }
      for (Wire wire : newcomers) {
        wire.close();
      }
    }
    awaitServed(patient);
  }

  private boolean isServed() throws IOException {
    try (Wire wire = from("127.0.0.2")) {
      wire.send(SMALL);
      return wire.receive(true).status() == 206;
    }
  }

  private Wire from(String address) throws IOException {
    return strict.open(InetAddress.ofLiteral(address));
  }

  private static void requireServed(Wire wire) throws IOException {
    wire.send(SMALL);
    assertThat(wire.receive(true).status()).isEqualTo(206);
  }

  @Test
  void farBeyondTheLimitIsClosedAtOnceAndLeavesNothing() throws Exception {
    List<Socket> open = new ArrayList<>();
    try {
      int closed = 0;
      for (int i = 0; i < MAX + 200; i++) {
        open.add(new Socket(InetAddress.getLoopbackAddress(), patient.port()));
      }
      for (Socket socket : open) {
        socket.setSoTimeout(10);
        try {
          if (socket.getInputStream().read() < 0) {
            closed++;
          }
        } catch (java.net.SocketTimeoutException _) {
          // Open, and waits for a request.
        } catch (IOException _) {
          closed++;
        }
      }
      // There is room for the limit and for some that are answered.
      assertThat(closed).isGreaterThan(100);
    } finally {
      for (Socket socket : open) {
        socket.close();
      }
    }
    awaitServed(patient);
  }

  @Test
  void beyondTheLimitOfAnAddressIsA503() throws Exception {
    List<Wire> open = new ArrayList<>();
    try {
      List<Integer> statuses = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        Wire wire = strict.open();
        open.add(wire);
        wire.send(SMALL);
        statuses.add(wire.receive(true).status());
      }
      assertThat(statuses.subList(0, 4)).containsOnly(206);
      assertThat(statuses.getLast()).isEqualTo(503);
    } finally {
      for (Wire wire : open) {
        wire.close();
      }
    }
    awaitServed(strict);
  }

  /** A dropped SYN is sent again after a second: devices that start together would notice. */
  @Test
  void burstOfConnectionsIsAcceptedWithoutADrop() throws Exception {
    int burst = 1_000;
    Path counters = Path.of("/proc/net/netstat");
    Assumptions.assumeTrue(
        Files.isReadable(counters)
            // Not readString: its first read is of one byte, and the kernel answers one only.
            && Integer.parseInt(
                    Files.readAllLines(Path.of("/proc/sys/net/core/somaxconn")).getFirst())
                >= burst,
        "This kernel keeps fewer connections waiting, or does not count: not tested");
    try (Endpoint server = Endpoint.start(transport, folder.resolve(transport + "burst"))) {
      // The kernel counts for the whole machine: what another program drops does not come thrice.
      List<Long> drops = new ArrayList<>();
      do {
        long before = listenDrops(counters);
        connectAndClose(server, burst);
        drops.add(listenDrops(counters) - before);
      } while (drops.getLast() > 0 && drops.size() < 3);
      assertThat(drops).as("connections dropped in each burst").contains(0L);
    }
  }

  private static void connectAndClose(Endpoint server, int burst) throws IOException {
    List<SocketChannel> channels = new ArrayList<>();
    try {
      for (int i = 0; i < burst; i++) {
        SocketChannel channel = SocketChannel.open();
        channels.add(channel);
        channel.configureBlocking(false);
        channel.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()));
      }
      for (SocketChannel channel : channels) {
        eventually("it is connected", channel::finishConnect);
      }
    } finally {
      for (SocketChannel channel : channels) {
        channel.close();
      }
    }
  }

  private static long listenDrops(Path counters) throws IOException {
    List<String> lines = Files.readAllLines(counters);
    for (int i = 0; i + 1 < lines.size(); i += 2) {
      List<String> names = List.of(lines.get(i).split(" "));
      int drops = names.indexOf("ListenDrops");
      if (drops >= 0) {
        return Long.parseLong(lines.get(i + 1).split(" ")[drops]);
      }
    }
    throw new IllegalStateException("The kernel does not count dropped connections");
  }

  private static double ended(Operator operator, String reason) throws Exception {
    return operator.metric(
        "artifact_server_connections_ended_total", "reason=\"%s\"".formatted(reason));
  }

  private static void awaitServed(Endpoint server) {
    eventually(
        "the connections that are gone do not count",
        () -> {
          try (Wire wire = server.open()) {
            wire.send(SMALL);
            return wire.receive(true).status() == 206;
          } catch (IOException _) {
            // Closed at once; there are too many still.
            return false;
          }
        });
  }
}
