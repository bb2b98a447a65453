package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventuallyPasses;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.nightly.Nightly;
import io.artifactserver.rest.endtoend.Wire.Response;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A fleet of both kinds of devices goes through the stages of releases. */
@ExtendWith(SharedServer.class)
class StageIT {
  private static final int FLEET = Nightly.IS_NOW ? 10_000 : 1_000;
  private static final int CONNECTIONS = 4;
  private static final int LENGTH = 20_000;
  private static final int WARM_POLLS = 400;
  private static final String API = "/api/v1/repositories/staged";
  private static final String CHANNEL = API + "/channels/stable";
  private static final String ADDRESS = "/artifacts/staged/@stable/fw";

  private PackagedServer server;
  private Operator operator;
  private String token = "";

  @BeforeEach
  void fill(PackagedServer shared) throws Exception {
    server = shared;
    operator = new Operator(server);
    operator.createRepository("staged", false);
    for (String release : new String[] {"1.0", "1.1", "1.2"}) {
      operator.put("staged", release + "/fw", bytes(release));
    }
    HttpResponse<String> made =
        operator.json(
            "POST", "/api/v1/tokens", "{\"name\": \"fleet\", \"repositories\": [\"staged\"]}");
    token = JsonMapper.shared().readTree(made.body()).get("token").asString();
    point("{\"release\": \"1.0\"}");
  }

  /** Ends the stage: others count the devices of all stages. */
  @AfterEach
  void disconnect() throws Exception {
    point("{\"release\": \"1.0\"}");
    operator.close();
  }

  @Test
  void aBadReleaseIsStoppedInItsStage() throws Exception {
    Fleet fleet = new Fleet();
    assertThat(fleet.poll(true)).hasSize(FLEET);

    // A good release goes through all stages.
    String stop = "\"stop\": {\"percentage\": 20, \"atLeast\": 5, \"stall\": \"3s\"}";
    Set<Integer> before = Set.of();
    for (int percentage : new int[] {1, 10, 100}) {
      point("{\"release\": \"1.1\", \"percentage\": %d, %s}".formatted(percentage, stop));
      fleet.poll(true);
      Set<Integer> updated = fleet.having("1.1");
      requireShare(updated.size(), percentage);
      assertThat(updated).containsAll(before);
      before = updated;
    }
    assertThat(before).hasSize(FLEET);
    assertThat(state().get("release").asString()).isEqualTo("1.1");

    // A bad one: at one percent it works, and at ten it stalls.
    point("{\"release\": \"1.2\", \"percentage\": 1, %s}".formatted(stop));
    fleet.poll(true);
    Set<Integer> first = fleet.having("1.2");
    requireShare(first.size(), 1);
    point("{\"release\": \"1.2\", \"percentage\": 10, %s}".formatted(stop));
    Set<Integer> offered = fleet.poll(false);
    // The rest of the stage; fewer, if it was stopped while some had still to ask.
    assertThat(first).doesNotContainAnyElementsOf(offered);
    assertThat(offered).hasSizeBetween(5, mostOf(10));
    eventuallyPasses(
        "the channel goes back",
        () -> assertThat(state().get("release").asString()).isEqualTo("1.1"));
    JsonNode back = state();
    assertThat(back.get("percentage").asInt()).isEqualTo(100);
    assertThat(back.get("comment").asString()).contains("Stopped by the server", "1.2", "20 %");

    // Nobody beyond the stage is offered it, and those who have it go back.
    fleet.poll(true);
    assertThat(fleet.having("1.2")).isEmpty();
    assertThat(fleet.having("1.1")).hasSize(FLEET);
    assertThat(String.join("\n", operator.audit()))
        .contains(
            "\"caller\":\"server\",\"job\":\"stage\",\"path\":\"" + CHANNEL + "\"",
            "Stopped by the server");
    assertThat(operator.metric("artifact_server_stage_stops_total")).isGreaterThanOrEqualTo(1);
  }

  /** Four standard deviations; which devices are in it is the same in each run. */
  private static void requireShare(int count, int percentage) {
    assertThat(count)
        .as("devices of %d %%", percentage)
        .isBetween(FLEET * percentage / 50 - mostOf(percentage), mostOf(percentage));
  }

  private static int mostOf(int percentage) {
    double expected = FLEET * percentage / 100.0;
    return (int) (expected + 4 * Math.sqrt(expected * (100 - percentage) / 100) + 1);
  }

  @Test
  void aPausedStageIsToldToNobody() throws Exception {
    Fleet fleet = new Fleet();
    fleet.poll(true);
    point("{\"release\": \"1.1\", \"percentage\": 10}");
    HttpResponse<String> paused = operator.json("POST", CHANNEL + "/pause", "");
    assertThat(paused.body()).contains("\"paused\":true", "\"base\":\"1.0\"");
    assertThat(fleet.poll(true)).isEmpty();
    assertThat(fleet.having("1.1")).isEmpty();
    operator.json("POST", CHANNEL + "/resume", "{\"comment\": \"go on\"}");
    requireShare(fleet.poll(true).size(), 10);
    // Devices of the base still get it, so it is not deleted.
    HttpResponse<String> kept = operator.delete(API + "/artifacts/1.0/fw");
    assertThat(kept.statusCode()).isEqualTo(409);
    assertThat(kept.body()).contains("1.0/fw");
    // A device that follows the channel itself gets what it would be offered.
    int chosen = fleet.having("1.1").stream().filter(i -> i % 2 == 0).findFirst().orElseThrow();
    try (Wire wire = new Wire(server.port())) {
      for (int i = 0; i < 3; i++) {
        assertThat(follow(wire, name(chosen), "").body()).isEqualTo(bytes("1.1"));
        assertThat(follow(wire, "", "").body()).isEqualTo(bytes("1.0"));
      }
    }
  }

  @Test
  void devicesThatNeverPollStopAStageToo() throws Exception {
    point(
        """
        {"release": "1.1", "percentage": 99,
         "stop": {"percentage": 5, "atLeast": 3, "stall": "2s"}}
        """);
    try (Wire wire = new Wire(server.port())) {
      for (int i = 0; i < 8; i++) {
        assertThat(follow(wire, name(i), "Range: bytes=0-4999\r\n").status()).isEqualTo(206);
      }
      eventuallyPasses(
          "the channel goes back",
          () -> assertThat(state().get("release").asString()).isEqualTo("1.0"));
      assertThat(follow(wire, name(0), "").body()).isEqualTo(bytes("1.0"));
    }
  }

  /** Six hours from now is not now, however long this takes. */
  @Test
  void aStageWaitsForItsWindows() throws Exception {
    LocalTime later = LocalTime.now(ZoneOffset.UTC).plusHours(6).withSecond(0).withNano(0);
    String closed = "%tR-%tR".formatted(later, later.plusMinutes(30));
    String stage = "{\"release\": \"1.1\", \"windows\": [%s]}";
    point(stage.formatted('"' + closed + '"'));
    assertThat(state().get("windows").get(0).asString()).isEqualTo(closed + " UTC");
    try (Wire wire = new Wire(server.port())) {
      Response waiting = swupdate(wire, 1, "1.0");
      assertThat(waiting.status()).isEqualTo(404);
      assertThat(waiting.field("Retry-After").map(Integer::parseInt).orElse(0)).isBetween(600, 720);
      assertThat(rauc(wire, 2, "1.0", "").status()).isEqualTo(204);
      assertThat(follow(wire, name(3), "").body()).isEqualTo(bytes("1.0"));
      point(stage.formatted("\"%s\", \"00:00-00:00 Europe/Berlin\"".formatted(closed)));
      assertThat(swupdate(wire, 1, "1.0").status()).isEqualTo(302);
      assertThat(rauc(wire, 2, "1.0", "").status()).isEqualTo(302);
      assertThat(follow(wire, name(3), "").body()).isEqualTo(bytes("1.1"));
    }
  }

  /**
   * The server's own jobs use a connection or two every few seconds; more while they write what
   * other tests left to be written, and then this is repeated.
   */
  @Test
  void warmPollsUseNoDatabaseConnection() throws Exception {
    point(
        """
        {"release": "1.1", "percentage": 50, "stop": {"percentage": 5}}
        """);
    try (Wire wire = new Wire(server.port())) {
      swupdate(wire, 1, "1.0");
      rauc(wire, 2, "1.0", "");
      eventuallyPasses(
          "warm polls use no connection",
          () -> {
            double before = operator.metric("hikaricp_connections_usage_seconds_count");
            for (int i = 0; i < WARM_POLLS; i += 2) {
              assertThat(swupdate(wire, i, "1.0").status()).isIn(302, 404);
              assertThat(rauc(wire, i + 1, "1.0", "").status()).isIn(302, 204);
            }
            assertThat(operator.metric("hikaricp_connections_usage_seconds_count") - before)
                .as("connections used by %d polls", WARM_POLLS)
                .isLessThan(WARM_POLLS / 20.0);
          });
    }
  }

  private void point(String body) throws Exception {
    HttpResponse<String> pointed = operator.json("PUT", CHANNEL, body, "If-Match", "*");
    if (pointed.statusCode() == 412) {
      pointed = operator.json("PUT", CHANNEL, body);
    }
    assertThat(pointed.statusCode()).as(pointed.body()).isEqualTo(200);
  }

  private JsonNode state() throws Exception {
    return JsonMapper.shared().readTree(operator.get(CHANNEL).body());
  }

  private Response follow(Wire wire, String name, String fields) throws IOException {
    wire.send(
        "GET %s HTTP/1.1\r\nHost: device\r\nAuthorization: Bearer %s\r\nRAUC-Serial: %s\r\n%s\r\n"
            .formatted(ADDRESS, token, name, fields));
    return wire.receive(true);
  }

  private Response rauc(Wire wire, int device, String software, String fields) throws IOException {
    wire.send(
        "GET /poll/rauc/staged/stable/fw HTTP/1.1\r\nHost: device\r\nRange: bytes=0-3\r\nAuthorization: Bearer %s\r\nRAUC-Serial: %s\r\nRAUC-System-Version: %s\r\n%s\r\n"
            .formatted(token, name(device), software, fields));
    return wire.receive(true);
  }

  private Response swupdate(Wire wire, int device, String software) throws IOException {
    wire.send(
        "GET /poll/swupdate/staged/stable/fw?id=%s&release=%s HTTP/1.1\r\nHost: device\r\nAuthorization: Bearer %s\r\n\r\n"
            .formatted(name(device), software, token));
    return wire.receive(true);
  }

  private static byte[] bytes(String release) {
    return Bytes.random(LENGTH, release.hashCode());
  }

  private static String name(int device) {
    return "device-" + device;
  }

  /** Devices, of which every other one is RAUC's. */
  private final class Fleet {
    /** The software of each device. */
    private final String[] software = new String[FLEET];

    private final String[] tags = new String[FLEET];

    private Fleet() {
      for (int i = 0; i < FLEET; i++) {
        software[i] = "0";
      }
    }

    private Set<Integer> having(String release) {
      Set<Integer> having = new HashSet<>();
      for (int i = 0; i < FLEET; i++) {
        if (software[i].equals(release)) {
          having.add(i);
        }
      }
      return having;
    }

    /**
     * Each device polls, and takes what it is offered.
     *
     * @param isGood whether they get on; if not, they stall after a tenth
     * @return the devices that were offered something new
     */
    private Set<Integer> poll(boolean isGood) throws Exception {
      Set<Integer> offered = new HashSet<>();
      try (ExecutorService threads = Executors.newFixedThreadPool(CONNECTIONS)) {
        List<Future<List<Integer>>> parts = new ArrayList<>();
        for (int part = 0; part < CONNECTIONS; part++) {
          int from = part;
          parts.add(threads.submit(() -> poll(from, isGood)));
        }
        for (Future<List<Integer>> part : parts) {
          offered.addAll(part.get());
        }
      }
      return offered;
    }

    private List<Integer> poll(int from, boolean isGood) throws IOException {
      List<Integer> offered = new ArrayList<>();
      try (Wire wire = new Wire(server.port())) {
        for (int i = from; i < FLEET; i += CONNECTIONS) {
          Optional<String> location = i % 2 == 0 ? rauc(wire, i) : swupdate(wire, i);
          if (location.isPresent()) {
            offered.add(i);
            take(wire, i, location.get(), isGood);
          }
        }
      }
      return offered;
    }

    private Optional<String> rauc(Wire wire, int device) throws IOException {
      String condition = tags[device] == null ? "" : "If-None-Match: " + tags[device] + "\r\n";
      Response answer = StageIT.this.rauc(wire, device, software[device], condition);
      assertThat(answer.status()).isIn(302, 304, 204);
      return answer.field("Location");
    }

    private Optional<String> swupdate(Wire wire, int device) throws IOException {
      Response answer = StageIT.this.swupdate(wire, device, software[device]);
      assertThat(answer.status()).isIn(302, 404);
      return answer.field("Location");
    }

    private void take(Wire wire, int device, String location, boolean isGood) throws IOException {
      int last = isGood ? LENGTH - 1 : LENGTH / 10;
      wire.send(
          "GET %s HTTP/1.1\r\nHost: device\r\nAuthorization: Bearer %s\r\nRange: bytes=0-%d\r\n\r\n"
              .formatted(location, token, last));
      Response answer = wire.receive(true);
      assertThat(answer.status()).isEqualTo(206);
      if (isGood) {
        software[device] = location.split("/", 5)[3];
        tags[device] = answer.field("ETag").orElseThrow();
      }
    }
  }
}
