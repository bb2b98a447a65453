package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Connections that ask for chunk after chunk. */
@Transports(
    value = Transport.HTTP1,
    nightly = {Transport.H2C, Transport.TLS12, Transport.TLS13, Transport.H2})
class ChunksIT extends EachTransport {
  private static final String IMAGE = "fw/image.img";
  private static final String STORE = "/fw/default.castr/";
  private static final int LENGTH = 6_000_000;

  private final byte[] random = Bytes.random(LENGTH, 31);
  private Endpoints endpoints;
  private Operator operator;

  @BeforeAll
  void start(@TempDir Path folder) {
    endpoints = new Endpoints(folder, this::upload, "--artifact-server.derive.enabled=true");
  }

  @Override
  Endpoints endpoints(Endpoints shared) {
    return endpoints;
  }

  @BeforeParameterizedClassInvocation
  void connect() throws Exception {
    operator = server.operator();
  }

  @AfterParameterizedClassInvocation
  void disconnect() {
    operator.close();
  }

  private void upload(Endpoint endpoint) throws Exception {
    operator = endpoint.operator();
    operator.createRepository("open", true);
    operator.createRepository("closed", false);
    operator.createRepository("packed", true);
    operator.createRepository("beside", true);
    operator.createEncryptedRepository("vault");
    byte[] text = random.clone();
    for (int i = 0; i < text.length; i++) {
      text[i] = (byte) ('a' + (text[i] & 15));
    }
    for (String repository : List.of("open", "closed", "packed", "beside", "vault")) {
      byte[] content = repository.equals("packed") ? text : random;
      assertThat(operator.put(repository, IMAGE, content).statusCode()).isEqualTo(201);
    }
    for (String repository : List.of("open", "closed", "packed", "beside", "vault")) {
      eventually("the forms of " + repository, () -> isDerived(repository));
    }
    operator.close();
  }

  /** Neither is a form still to come, nor are there none yet. */
  private boolean isDerived(String repository) throws Exception {
    String address = "/api/v1/repositories/" + repository + "/artifacts/" + IMAGE;
    JsonNode forms = JsonMapper.shared().readTree(operator.get(address).body()).path("forms");
    return !forms.isEmpty()
        && forms.valueStream().noneMatch(form -> form.get("state").asString().equals("waiting"));
  }

  @AfterAll
  void stop() {
    endpoints.close();
  }

  @ParameterizedTest
  @CsvSource({"open, .cacnk", "open, ''", "closed, .cacnk", "packed, .cacnk", "vault, .cacnk"})
  void theAnswersAreThoseOfAFreshConnection(String repository, String suffix) throws Exception {
    List<String> ids = some(repository);
    List<Wire.Response> handled = new ArrayList<>();
    for (String id : ids) {
      try (Wire fresh = open()) {
        handled.add(ask(fresh, repository, id + suffix, ""));
      }
    }
    assertThat(handled).allMatch(answer -> answer.status() == 200);
    try (Wire connection = open()) {
      for (int round = 0; round < 2; round++) {
        for (int i = 0; i < ids.size(); i++) {
          Wire.Response answer = ask(connection, repository, ids.get(i) + suffix, "");
          Wire.Response expected = handled.get(i);
          assertThat(answer.status()).isEqualTo(200);
          assertThat(fields(answer)).isEqualTo(fields(expected));
          assertThat(Arrays.equals(answer.body(), expected.body())).isTrue();
          assertThat(answer.field("Date")).isPresent();
        }
      }
    }
  }

  @Test
  void anArtifactThatIsNamedLikeAChunkHidesNoOther() throws Exception {
    List<String> ids = some("beside");
    String taken = ids.get(5);
    for (String path : List.of(address(taken), "fw/x.castr/abcd/notes.txt", "fw/x.castr/notes")) {
      assertThat(operator.put("beside", path, path.getBytes(UTF_8)).statusCode()).isIn(200, 201);
    }
    List<String> others = ids.stream().filter(id -> !id.equals(taken)).toList();
    try (Wire connection = open()) {
      for (String id : others) {
        assertThat(Arrays.equals(ask(connection, "beside", id, "").body(), plain(id))).isTrue();
      }
      assertThat(ask(connection, "beside", taken, "").text()).isEqualTo(address(taken));
    }
  }

  private static String address(String id) {
    return "fw/default.castr/" + id.substring(0, 4) + "/" + id;
  }

  @Test
  void aSlowClientGetsEveryByte() throws Exception {
    List<String> ids = ids("open");
    try (Wire slow = open()) {
      ask(slow, "open", ids.get(0), "");
      ask(slow, "open", ids.get(1), "");
      // Much more than a socket takes: one answer waits, and then the next request does.
      for (int round = 0; round < 3; round++) {
        List<byte[]> expected = new ArrayList<>();
        for (String id : ids) {
          slow.send(request("open", id, ""));
          expected.add(plain(id));
        }
        for (byte[] bytes : expected) {
          assertThat(Arrays.equals(slow.receive(true).body(), bytes)).isTrue();
        }
      }
    }
  }

  @Test
  void aConditionIsOfOneChunk() throws Exception {
    List<String> ids = ids("open");
    try (Wire connection = open()) {
      String condition = "If-None-Match: \"" + ids.get(7) + "\"\r\n";
      for (int i = 0; i < 20; i++) {
        assertThat(ask(connection, "open", ids.get(i), condition).status())
            .isEqualTo(i == 7 ? 304 : 200);
      }
    }
  }

  @Test
  void whatIsNotThereIsNotFound() throws Exception {
    List<String> ids = ids("open");
    String id = ids.get(3);
    for (String other :
        List.of(
            "0".repeat(64),
            id.toUpperCase(Locale.ROOT),
            id.substring(0, 63) + "%",
            id.substring(0, 63) + "?",
            id.substring(0, 40) + "/" + id.substring(41),
            "../" + id.substring(3))) {
      try (Wire connection = open()) {
        for (int i = 0; i < 3; i++) {
          assertThat(ask(connection, "open", ids.get(i), "").status()).isEqualTo(200);
        }
        Wire.Response none = ask(connection, "open", other, "");
        assertThat(none.status()).as(other).isIn(400, 404);
        for (int i = 0; i < 8 && none.status() == 404; i++) {
          assertThat(ask(connection, "open", id, "").status()).isEqualTo(200);
        }
      }
    }
  }

  @Test
  void aRevokedTokenEndsIt() throws Exception {
    String made = operator.json("POST", "/api/v1/tokens", "{\"name\":\"device\"}").body();
    String token = JsonMapper.shared().readTree(made).get("token").asString();
    String id = JsonMapper.shared().readTree(made).get("id").asString();
    String field = "Authorization: Bearer " + token + "\r\n";
    List<String> ids = ids("closed");
    try (Wire connection = open()) {
      for (int i = 0; i < 20; i++) {
        assertThat(ask(connection, "closed", ids.get(i), field).status()).isEqualTo(200);
      }
      assertThat(operator.delete("/api/v1/tokens/" + id).statusCode()).isEqualTo(204);
      assertThat(ask(connection, "closed", ids.get(0), field).status()).isEqualTo(401);
    }
  }

  @Test
  void aDeletedArtifactEndsIt() throws Exception {
    operator.createRepository("gone", true);
    assertThat(operator.put("gone", IMAGE, random).statusCode()).isEqualTo(201);
    List<String> ids = ids("open");
    eventually(
        "the chunks are there",
        () -> {
          try (Wire connection = open()) {
            return ask(connection, "gone", ids.get(0), "").status() == 200;
          }
        });
    try (Wire connection = open()) {
      for (int i = 0; i < 20; i++) {
        assertThat(ask(connection, "gone", ids.get(i), "").status()).isEqualTo(200);
      }
      operator.delete("/api/v1/repositories/gone/artifacts/" + IMAGE);
      assertThat(ask(connection, "gone", ids.get(0), "").status()).isEqualTo(404);
    }
  }

  private byte[] plain(String id) throws IOException {
    try (Wire fresh = open()) {
      return ask(fresh, "open", id, "").body();
    }
  }

  private Wire.Response ask(Wire connection, String repository, String name, String fields)
      throws IOException {
    connection.send(request(repository, name, fields));
    return connection.receive(true);
  }

  private String request(String repository, String name, String fields) throws IOException {
    String authorization =
        fields.contains("Authorization")
                || Set.of("open", "packed", "beside", "gone").contains(repository)
            ? ""
            : "Authorization: Bearer " + server.operatorToken() + "\r\n";
    return "GET /artifacts/%s%s%s/%s HTTP/1.1\r\nHost: x\r\n%s%s\r\n"
        .formatted(repository, STORE, name.substring(0, 4), name, authorization, fields);
  }

  private static String fields(Wire.Response answer) {
    Map<String, String> fields = new LinkedHashMap<>(answer.fields());
    fields.put("date", "");
    return fields.toString();
  }

  private List<String> some(String repository) throws Exception {
    List<String> ids = ids(repository);
    assertThat(ids).hasSizeGreaterThan(40);
    return ids.subList(0, 12);
  }

  private List<String> ids(String repository) throws Exception {
    byte[] index = operator.download("/artifacts/" + repository + "/" + IMAGE + ".caibx").body();
    return List.copyOf(UpdateClients.chunks(index).keySet());
  }
}
