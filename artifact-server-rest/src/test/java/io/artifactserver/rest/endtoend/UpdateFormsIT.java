package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static io.artifactserver.core.waiting.Eventually.eventuallyPasses;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.nightly.InTurn;
import io.artifactserver.core.program.Programs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** An operator's view of the forms that clients update by. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@InTurn(6)
class UpdateFormsIT {
  private static final String OLD = "fw/1.0/text.img";
  private static final String NEW = "fw/1.1/text.img";
  private static final int LENGTH = 4_000_000;
  private static final int CHANGED = 50_000;

  /** Four bits of each byte are random. */
  private final byte[] text = text(LENGTH, 1);

  private PackagedServer server;
  private Operator operator;

  @BeforeAll
  void start(@TempDir Path data) throws Exception {
    server =
        PackagedServer.start(
            data,
            "--artifact-server.derive.enabled=true",
            "--artifact-server.retire.grace-period=1s",
            "--artifact-server.catalog.cache-ttl=1s",
            "--artifact-server.retire.sweep-interval=1s");
    operator = new Operator(server);
    byte[] newer = text.clone();
    System.arraycopy(text(CHANGED, 2), 0, newer, LENGTH / 2, CHANGED);
    operator.createRepository("plain", true);
    operator.createEncryptedRepository("vault");
    for (String repository : new String[] {"plain", "vault"}) {
      assertThat(operator.put(repository, OLD, text).statusCode()).isEqualTo(201);
      assertThat(operator.put(repository, NEW, newer).statusCode()).isEqualTo(201);
      awaitForms(repository);
    }
  }

  @AfterAll
  void stop() {
    operator.close();
    server.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "vault"})
  void chunksOfWhatCompressesComeCompressed(String repository, @TempDir Path folder)
      throws Exception {
    Programs.assumeInstalled("casync");
    try (RecordingRelay relay = new RecordingRelay(server.port())) {
      String address = relay.url("/artifacts/" + repository + "/" + OLD + ".caibx");
      new Client(folder)
          .succeeds(
              "casync",
              "extract",
              address.replace("http://", "http://device:" + server.operatorToken() + "@"),
              "text.img");
      assertThat(Files.readAllBytes(folder.resolve("text.img"))).isEqualTo(text);
      assertThat(relay.answeredBytes()).isLessThan(LENGTH * 6L / 10);
    }
  }

  @Test
  void whatAnUpdateCostsIsCounted() throws Exception {
    String address = "/api/v1/repositories/plain/artifacts/" + NEW + "/delta?from=";
    JsonNode delta = JsonMapper.shared().readTree(operator.get(address + OLD).body());
    assertThat(delta.get("from").asString()).isEqualTo(OLD);
    assertThat(delta.get("to").asString()).isEqualTo(NEW);
    assertThat(delta.get("length").asInt()).isEqualTo(LENGTH);
    int shared = delta.get("sharedBytes").asInt();
    assertThat(shared).isBetween(LENGTH * 3 / 4, LENGTH - CHANGED);
    // The rest comes compressed, and the index with it.
    assertThat(delta.get("transferBytes").asInt())
        .isBetween((LENGTH - shared) / 4, (LENGTH - shared) * 6 / 10 + 10_000);
    assertThat(operator.get(address + "fw/none.img").statusCode()).isEqualTo(404);
  }

  @Test
  void repositoriesChooseWhatHasForms() throws Exception {
    String forms = "/api/v1/repositories/chosen/forms";
    operator.createRepository("chosen", true);
    assertThat(operator.get(forms).body()).isEqualTo("{\"paths\":[\"*\"]}");
    assertThat(operator.json("PUT", forms, "{\"paths\":[\"release/*\"]}").statusCode())
        .isEqualTo(200);
    assertThat(operator.get(forms).body()).isEqualTo("{\"paths\":[\"release/*\"]}");
    assertThat(operator.put("chosen", "nightly/text.img", text).statusCode()).isEqualTo(201);
    assertThat(operator.put("chosen", "release/text.img", text).statusCode()).isEqualTo(201);
    eventually("forms of a release", () -> status("chosen", "release/text.img.caibx") == 200);
    HttpResponse<String> none = operator.get("/artifacts/chosen/nightly/text.img.caibx");
    assertThat(none.statusCode()).isEqualTo(404);
    assertThat(none.headers().firstValue("Retry-After")).isEmpty();
    assertThat(operator.json("PUT", forms, "{\"paths\":[]}").statusCode()).isEqualTo(200);
    assertThat(status("chosen", "release/text.img.caibx")).isEqualTo(404);
    for (String wrong : new String[] {"{}", "{\"paths\":[\"\"]}", "{\"paths\":[\"/a\"]}"}) {
      assertThat(operator.json("PUT", forms, wrong).statusCode()).as(wrong).isEqualTo(400);
    }
    assertThat(
            operator.json("PUT", "/api/v1/repositories/none/forms", "{\"paths\":[]}").statusCode())
        .isEqualTo(404);
  }

  @Test
  void droppedFormsAreComputedAgain() throws Exception {
    operator.createRepository("again", true);
    byte[] own = text(LENGTH, 3);
    assertThat(operator.put("again", OLD, own).statusCode()).isEqualTo(201);
    eventually("there", () -> status("again", OLD + ".caibx") == 200);
    String before = created("again");
    assertThat(operator.delete("/api/v1/repositories/again/forms?prefix=other").body())
        .isEqualTo("{\"artifacts\":0}");
    HttpResponse<String> dropped = operator.delete("/api/v1/repositories/again/forms?prefix=fw/");
    assertThat(dropped.statusCode()).isEqualTo(202);
    assertThat(dropped.body()).isEqualTo("{\"artifacts\":1}");
    eventually("there again", () -> isComputedAgain(before));
    assertThat(status("again", OLD + ".caibx")).isEqualTo(200);
  }

  @Test
  void formsAreEncryptedWithTheirRepository() throws Exception {
    operator.createRepository("sealed", true);
    byte[] own = text(LENGTH, 4);
    assertThat(operator.put("sealed", OLD, own).statusCode()).isEqualTo(201);
    eventually("there", () -> status("sealed", OLD + ".caibx") == 200);
    byte[] index = operator.download("/artifacts/sealed/" + OLD + ".caibx").body();
    Map.Entry<String, Integer> first = UpdateClients.chunks(index).entrySet().iterator().next();
    String id = first.getKey();
    byte[] marker = HexFormat.of().parseHex(id);
    assertThat(plainFilesWith(marker)).isNotEmpty();
    String encryption = "/api/v1/repositories/sealed/encryption";
    assertThat(operator.json("POST", encryption, "").statusCode()).isEqualTo(202);
    eventually(
        "no form lies there in plain",
        () -> {
          requireIndexOrSoon(index);
          return plainFilesWith(marker).isEmpty()
              && operator.get(encryption).body().contains("\"complete\":true");
        });
    eventually(
        "the forms are there again",
        () -> {
          requireIndexOrSoon(index);
          return status("sealed", OLD + ".caibx") == 200;
        });
    String chunk = "/artifacts/sealed/fw/1.0/default.castr/%s/%s".formatted(id.substring(0, 4), id);
    eventually("the chunks are", () -> operator.downloadAsNobody(chunk).statusCode() == 200);
    assertThat(operator.downloadAsNobody(chunk).body())
        .isEqualTo(Arrays.copyOf(own, first.getValue()));
  }

  /** A third of each is in both. */
  @Test
  void chunksThatTwoArtifactsShareAreForTheReadersOfBoth() throws Exception {
    operator.createRepository("fleet", false);
    byte[] first = text(LENGTH, 5);
    byte[] second = text(LENGTH, 6);
    System.arraycopy(first, 0, second, 0, LENGTH / 3);
    byte[] third = Arrays.copyOfRange(second, LENGTH / 2, LENGTH);
    for (Map.Entry<String, byte[]> each : Map.of("a", first, "b", second, "c", third).entrySet()) {
      operator.put("fleet", "fw/" + each.getKey() + ".img", each.getValue());
      eventually("ready", () -> operator.download(index(each.getKey())).statusCode() == 200);
    }
    List<String> ofA = chunks("a");
    List<String> ofB = chunks("b");
    List<String> shared = ofA.stream().filter(ofB::contains).toList();
    assertThat(shared).hasSizeGreaterThan(5);
    String deviceA = token("device", "fw/a.img");
    String deviceB = token("device", "fw/b.img");
    String deviceC = token("device", "fw/c.img");
    for (int i = 0; i < 2; i++) {
      for (String chunk : ofA) {
        assertThat(chunk(deviceA, "default", chunk)).isEqualTo(200);
        assertThat(chunk(deviceA, "a", chunk)).isEqualTo(200);
        assertThat(chunk(deviceB, "default", chunk)).isEqualTo(shared.contains(chunk) ? 200 : 404);
        assertThat(chunk(deviceA, "b.img", chunk)).isEqualTo(404);
      }
      for (String chunk : ofB) {
        assertThat(chunk(deviceB, "default", chunk)).isEqualTo(200);
      }
      for (String chunk : chunks("c")) {
        assertThat(chunk(deviceC, "c.img", chunk)).isEqualTo(200);
      }
    }
    // The server's jobs use connections too: a slow machine needs another try.
    eventuallyPasses(
        "warm chunks use no connection",
        () -> {
          double before = operator.metric("hikaricp_connections_usage_seconds_count");
          int downloads = 0;
          while (downloads < 2_000) {
            for (String chunk : shared) {
              assertThat(chunk(deviceA, "default", chunk)).isEqualTo(200);
              assertThat(chunk(deviceB, "default", chunk)).isEqualTo(200);
              downloads += 2;
            }
          }
          assertThat(operator.metric("hikaricp_connections_usage_seconds_count") - before)
              .isLessThan(downloads / 20.0);
        });
  }

  @Test
  void aLinkOpensChunksOfItsArtifactOnly() throws Exception {
    operator.createRepository("linked", false);
    for (int i = 0; i < 2; i++) {
      String path = "fw/" + "ab".charAt(i) + ".img";
      operator.put("linked", path, text(LENGTH, 7 + i));
      eventually(
          path,
          () -> operator.download("/artifacts/linked/" + path + ".caibx").statusCode() == 200);
    }
    String publisher = token("publisher", "fw/a*");
    String own = chunksOf("/artifacts/linked/fw/a.img.caibx").getFirst();
    String other = chunksOf("/artifacts/linked/fw/b.img.caibx").getFirst();
    String link = link(publisher, "fw/a.img");
    String query = link.substring(link.indexOf('?'));
    assertThat(operator.downloadAsNobody(link).statusCode()).isEqualTo(200);
    String store = "/artifacts/linked/fw/a.img.castr/";
    assertThat(operator.downloadAsNobody(store + own + query).statusCode()).isEqualTo(200);
    assertThat(operator.downloadAsNobody(store + other + query).statusCode()).isEqualTo(404);
    for (String elsewhere :
        new String[] {"b.img.castr/" + own, "default.castr/" + own, "a.img.caibx", "b.img"}) {
      assertThat(
              operator.downloadAsNobody("/artifacts/linked/fw/" + elsewhere + query).statusCode())
          .as(elsewhere)
          .isEqualTo(403);
    }
    // A link of a chunk's own address, that its maker may sign.
    String ofChunk = link(publisher, "fw/a.castr/" + other);
    assertThat(operator.download("/artifacts/linked/fw/a.castr/" + other).statusCode())
        .isEqualTo(200);
    assertThat(operator.downloadAsNobody(ofChunk).statusCode()).isEqualTo(404);
  }

  private String link(String token, String path) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(server.uri("/api/v1/links"))
            .header("Authorization", "Bearer " + token)
            .header("Content-Type", "application/json")
            .POST(
                BodyPublishers.ofString(
                    "{\"repository\":\"linked\",\"path\":\"%s\",\"expires\":\"1h\"}"
                        .formatted(path)))
            .build();
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpResponse<String> answer = client.send(request, BodyHandlers.ofString());
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
      return JsonMapper.shared().readTree(answer.body()).get("url").asString();
    }
  }

  private String token(String role, String path) throws Exception {
    String body = "{\"name\":\"n\",\"role\":\"%s\",\"paths\":[\"%s\"]}".formatted(role, path);
    return JsonMapper.shared()
        .readTree(operator.json("POST", "/api/v1/tokens", body).body())
        .get("token")
        .asString();
  }

  private static String index(String name) {
    return "/artifacts/fleet/fw/" + name + ".img.caibx";
  }

  private List<String> chunks(String name) throws Exception {
    return chunksOf(index(name));
  }

  /** Their paths in a store. */
  private List<String> chunksOf(String index) throws Exception {
    return UpdateClients.chunks(operator.download(index).body()).keySet().stream()
        .map(id -> id.substring(0, 4) + "/" + id + ".cacnk")
        .toList();
  }

  private int chunk(String token, String store, String chunk) throws Exception {
    String path = "/artifacts/fleet/fw/%s.castr/%s".formatted(store, chunk);
    return operator.downloadAsDevice(path, "Bearer " + token).statusCode();
  }

  /** Clients see the index as it is, or are told to come again. */
  private void requireIndexOrSoon(byte[] index) throws Exception {
    HttpResponse<byte[]> answer = operator.download("/artifacts/sealed/" + OLD + ".caibx");
    if (answer.statusCode() == 200) {
      assertThat(answer.body()).isEqualTo(index);
    } else {
      assertThat(answer.statusCode()).isEqualTo(404);
      assertThat(answer.headers().firstValue("Retry-After")).isPresent();
    }
  }

  private List<Path> plainFilesWith(byte[] marker) throws IOException {
    String text = new String(marker, StandardCharsets.ISO_8859_1);
    List<Path> found = new ArrayList<>();
    try (Stream<Path> files = Files.walk(server.dataFolder().resolve("blobs"))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        if (new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1).contains(text)) {
          found.add(file);
        }
      }
    } catch (UncheckedIOException | NoSuchFileException e) {
      // One went meanwhile.
      return plainFilesWith(marker);
    }
    return found;
  }

  private boolean isComputedAgain(String before) throws Exception {
    String now = created("again");
    return !now.isEmpty() && !now.equals(before);
  }

  /** When the index was computed; empty while it is not. */
  private String created(String repository) throws Exception {
    return form(repository, OLD, "caibx").path("created").asString("");
  }

  private void awaitForms(String repository) {
    for (String path : new String[] {OLD, NEW}) {
      eventually(
          "the chunks of " + path,
          () -> form(repository, path, "castr").path("state").asString("").equals("ready"));
    }
  }

  private JsonNode form(String repository, String path, String name) throws Exception {
    String address = "/api/v1/repositories/" + repository + "/artifacts/" + path;
    for (JsonNode form : JsonMapper.shared().readTree(operator.get(address).body()).path("forms")) {
      if (form.get("name").asString().equals(name)) {
        return form;
      }
    }
    return JsonMapper.shared().createObjectNode();
  }

  private int status(String repository, String path) throws Exception {
    return operator.downloadAsNobody("/artifacts/" + repository + "/" + path).statusCode();
  }

  private static byte[] text(int length, long seed) {
    byte[] text = Bytes.random(length, seed);
    for (int i = 0; i < length; i++) {
      text[i] = (byte) ('a' + (text[i] & 15));
    }
    return text;
  }
}
