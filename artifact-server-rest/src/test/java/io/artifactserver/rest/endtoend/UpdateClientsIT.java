package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.nightly.InTurn;
import io.artifactserver.core.program.Programs;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** {@link UpdateClients} of a server that keeps its blobs in files, and what it answers them. */
@Transports(value = Transport.HTTP1, nightly = Transport.H2)
@InTurn(6)
class UpdateClientsIT extends UpdateClients {
  private static final int CONNECTIONS = 64;
  private static final int CHUNK_REQUESTS = 20_000;

  @Test
  void controlFileIsZsyncmakes() throws Exception {
    Programs.assumeInstalled("zsyncmake");
    Files.write(folder.resolve("new.img"), image);
    client.succeeds("zsyncmake", "-u", "new.img", "new.img");
    assertThat(withoutTime(operator.download("/artifacts/vault/fw/new.img.zsync").body()))
        .isEqualTo(withoutTime(Files.readAllBytes(folder.resolve("new.img.zsync"))));
  }

  @Test
  void answersAreExactAndMayBeKept() throws Exception {
    String chunk = chunks(index("new")).keySet().iterator().next();
    String path = "/artifacts/public/fw/default.castr/" + chunk.substring(0, 4) + "/" + chunk;
    for (String address :
        new String[] {
          path,
          path + ".cacnk",
          "/artifacts/public/fw/new.img.zsync",
          "/artifacts/public/fw/new.img.caibx"
        }) {
      HttpResponse<byte[]> answer = operator.downloadAsNobody(address);
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.headers().firstValue("Cache-Control"))
          .contains(
              address.startsWith(path)
                  ? "public, max-age=31536000, immutable"
                  : "public, max-age=300, no-transform");
      String tag = answer.headers().firstValue("ETag").orElseThrow();
      assertThat(tag).startsWith("\"");
      assertThat(operator.download(address, "If-None-Match", tag).statusCode()).isEqualTo(304);
      assertThat(answer.headers().firstValueAsLong("Content-Length"))
          .hasValue(answer.body().length);
      try (Wire wire = server.open()) {
        wire.send("HEAD " + address + " HTTP/1.1\r\nHost: a\r\n\r\n");
        assertThat(wire.receive(false).field("Content-Length"))
            .contains(String.valueOf(answer.body().length));
      }
    }
    byte[] plain = operator.downloadAsNobody(path).body();
    byte[] framed = operator.downloadAsNobody(path + ".cacnk").body();
    assertThat(Arrays.copyOfRange(framed, 12, 12 + plain.length))
        .isEqualTo(plain.length <= 131_072 ? plain : framed);
    // A chunk is sent whole: RFC 9110, section 14.2, leaves that to the server.
    assertThat(operator.download(path, "Range", "bytes=0-3").body()).isEqualTo(plain);
  }

  @Test
  void formsHaveTheirArtifactsPermissions() throws Exception {
    String chunk = chunks(index("new")).keySet().iterator().next();
    String store = "/fw/default.castr/" + chunk.substring(0, 4) + "/" + chunk + ".cacnk";
    HttpResponse<String> created =
        operator.json(
            "POST", "/api/v1/tokens", "{\"name\":\"other\",\"repositories\":[\"public\"]}");
    String other = created.body().replaceAll("(?s).*\"token\":\"([^\"]+)\".*", "$1");
    for (String address : new String[] {store, "/fw/new.img.zsync", "/fw/new.img.caibx"}) {
      String secret = "/artifacts/secret" + address;
      // Twice: from the catalog and from memory.
      for (int i = 0; i < 2; i++) {
        assertThat(operator.downloadAsNobody(secret).statusCode()).isEqualTo(401);
        assertThat(operator.downloadAsDevice(secret, "Bearer " + other).statusCode())
            .isEqualTo(404);
        assertThat(operator.download(secret).statusCode()).isEqualTo(200);
      }
      assertThat(operator.downloadAsNobody("/artifacts/public/elsewhere" + address).statusCode())
          .isEqualTo(404);
    }
  }

  @Test
  void saysWhenAFormIsNotReadyAndForgetsItWithTheArtifact() throws Exception {
    String name;
    HttpResponse<byte[]> early;
    HttpResponse<String> delta;
    int uploads = 0;
    do {
      // All may be ready before this thread goes on.
      name = "later/large-%d.img".formatted(uploads);
      put("public", name, Bytes.random(60_000_000, 73 + uploads));
      early = operator.downloadAsNobody("/artifacts/public/%s.caibx".formatted(name));
      delta =
          operator.get(
              "/api/v1/repositories/public/artifacts/%1$s/delta?from=%1$s".formatted(name));
      uploads++;
    } while (delta.statusCode() == 200 && uploads < 5);
    assertThat(early.statusCode()).isEqualTo(404);
    assertThat(early.headers().firstValue("Retry-After")).contains("5");
    assertThat(new String(early.body(), StandardCharsets.UTF_8)).contains("Not ready yet");
    assertThat(delta.statusCode()).isEqualTo(404);
    assertThat(delta.headers().firstValue("Retry-After")).contains("5");
    assertThat(delta.body()).contains("Not ready yet");
    String index = "/artifacts/public/%s.caibx".formatted(name);
    awaitForm(index);
    String chunk = chunks(operator.download(index).body()).keySet().iterator().next();
    String path = "/artifacts/public/later/default.castr/" + chunk.substring(0, 4) + "/" + chunk;
    assertThat(operator.downloadAsNobody(path).statusCode()).isEqualTo(200);
    operator.delete("/api/v1/repositories/public/artifacts/" + name);
    assertThat(operator.downloadAsNobody(path).statusCode()).isEqualTo(404);
    assertThat(operator.downloadAsNobody(index).statusCode()).isEqualTo(404);
  }

  @Test
  void artifactWinsOverForm() throws Exception {
    put("public", "own/new.img", image);
    put("public", "own/new.img.zsync", "mine".getBytes(StandardCharsets.UTF_8));
    awaitForm("/artifacts/public/own/new.img.caibx");
    assertThat(operator.downloadAsNobody("/artifacts/public/own/new.img.zsync").body())
        .isEqualTo("mine".getBytes(StandardCharsets.UTF_8));
    String chunk = chunks(index("new")).keySet().iterator().next();
    String path = "own/default.castr/" + chunk.substring(0, 4) + "/" + chunk;
    put("public", path, "my chunk".getBytes(StandardCharsets.UTF_8));
    assertThat(operator.downloadAsNobody("/artifacts/public/" + path).body())
        .isEqualTo("my chunk".getBytes(StandardCharsets.UTF_8));
  }

  /** It asks for the chunks beside the bundle, in a store with the bundle's name. */
  @ParameterizedTest(allowZeroInvocations = true)
  @MethodSource("raucRepositories")
  void raucInstallsFromChunks(String repository) throws Exception {
    RaucDevice device = new RaucDevice(client, folder);
    put(repository, "rauc/os.raucb", device.indexedBundle(image));
    put(repository, "rauc/os.img", image);
    awaitForm("/artifacts/" + repository + "/rauc/os.img.caibx");
    device.install(url(repository, "rauc/os.raucb"));
    assertThat(Arrays.equals(device.installed(LENGTH), image)).isTrue();
    assertThat(relay.requests("GET .*/rauc/os[.]castr/")).isEqualTo(chunks(index("new")).size());
  }

  /** RAUC runs where it may mount, which no program may that is made to trust an authority here. */
  List<String> raucRepositories() {
    return transport.isSecured() ? List.of() : List.of("secret");
  }

  /** A miss costs its asker time, and nobody else. */
  @Test
  void strangersMissesDoNotStopUpdates() throws Exception {
    Programs.assumeInstalled("casync");
    Random random = new Random(1);
    byte[] id = new byte[32];
    try (Wire wire = server.open()) {
      for (int i = 0; i < 1_000; i++) {
        random.nextBytes(id);
        String hex = HexFormat.of().formatHex(id);
        wire.send(
            "GET /artifacts/public/fw/default.castr/%s/%s.cacnk HTTP/1.1\r\nHost: a\r\n\r\n"
                .formatted(hex.substring(0, 4), hex));
        assertThat(wire.receive(true).status()).isEqualTo(404);
      }
    }
    client.succeeds("casync", "extract", url("public", "fw/new.img.caibx"), "new.img");
    assertThat(folder.resolve("new.img")).hasBinaryContent(image);
  }

  /** A fleet that updates; no chunk is refused, and each is the one that was asked for. */
  @Test
  void serves20000ChunksOver64Connections() throws Exception {
    List<byte[]> wanted = new ArrayList<>();
    List<String> ids = new ArrayList<>();
    int begin = 0;
    for (Map.Entry<String, Integer> chunk : chunks(index("new")).entrySet()) {
      ids.add(chunk.getKey());
      wanted.add(Arrays.copyOfRange(image, begin, begin + chunk.getValue()));
      begin += chunk.getValue();
    }
    assertThat(begin).isEqualTo(LENGTH);
    List<Callable<Integer>> clients =
        IntStream.range(0, CONNECTIONS)
            .<Callable<Integer>>mapToObj(number -> () -> fetch(ids, wanted, number))
            .toList();
    int fetched = 0;
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Future<Integer> client : threads.invokeAll(clients)) {
        fetched += client.get();
      }
    }
    assertThat(fetched).isEqualTo(CHUNK_REQUESTS);
  }

  private int fetch(List<String> ids, List<byte[]> wanted, int number) throws Exception {
    int fetched = 0;
    try (Wire wire = server.open()) {
      for (int i = number; i < CHUNK_REQUESTS; i += CONNECTIONS) {
        String id = ids.get(i % ids.size());
        wire.send(
            "GET /artifacts/public/fw/default.castr/%s/%s HTTP/1.1\r\nHost: a\r\n\r\n"
                .formatted(id.substring(0, 4), id));
        Wire.Response answer = wire.receive(true);
        assertThat(answer.status()).isEqualTo(200);
        assertThat(Arrays.equals(answer.body(), wanted.get(i % ids.size()))).as(id).isTrue();
        fetched++;
      }
    }
    return fetched;
  }

  private static String withoutTime(byte[] controlFile) {
    return new String(controlFile, StandardCharsets.ISO_8859_1).replaceFirst("\nMTime: .*\n", "\n");
  }
}
