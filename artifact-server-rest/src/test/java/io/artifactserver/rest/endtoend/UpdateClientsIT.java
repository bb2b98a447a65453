package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.program.Programs;
import io.artifactserver.core.waiting.Eventually;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Updates by Debian's casync and zsync from a server that was given nothing but the images. A test
 * whose program is missing is skipped and says so; .ci/run installs them.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class UpdateClientsIT {
  private static final int LENGTH = 12_000_000;
  private static final int CHANGES = 20;
  private static final int CHANGE_LENGTH = 3_000;
  private static final int INSERTED = 5_000;
  private static final int ZSYNC_BLOCK = 2_048;

  /** The most that an answer has beside its body. */
  private static final int FIELDS_LENGTH = 700;

  private static final double TOLERANCE = 1.05;

  private final byte[] oldImage = Bytes.random(LENGTH, 71);
  private final byte[] image = newer(oldImage);
  private PackagedServer server;
  private Operator operator;
  private RecordingRelay relay;
  private Path folder;
  private Client client;

  @BeforeAll
  void start(@TempDir Path data) throws Exception {
    server = PackagedServer.start(data, "--artifact-server.derive.enabled=true");
    operator = new Operator(server);
    create("public", true, false);
    create("secret", false, false);
    create("vault", true, true);
    create("secret-vault", false, true);
    for (String repository : new String[] {"public", "secret", "vault", "secret-vault"}) {
      put(repository, "fw/old.img", oldImage);
      put(repository, "fw/new.img", image);
      awaitForm("/artifacts/" + repository + "/fw/new.img.caibx");
    }
  }

  @AfterAll
  void stop() {
    operator.close();
    server.close();
  }

  @BeforeEach
  void relay(@TempDir Path temporary) throws IOException {
    folder = temporary;
    client = new Client(folder);
    relay = new RecordingRelay(server.port());
    Files.write(folder.resolve("old.img"), oldImage);
  }

  @AfterEach
  void stopRelay() throws IOException {
    relay.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"public", "secret", "vault", "secret-vault"})
  void casyncExtracts(String repository) throws Exception {
    Programs.assumeInstalled("casync");
    client.succeeds("casync", "extract", url(repository, "fw/new.img.caibx"), "new.img");
    assertThat(folder.resolve("new.img")).hasBinaryContent(image);
    int chunks = chunks(index("new")).size();
    assertThat(relay.requests("GET /artifacts/" + repository + "/fw/default.castr/"))
        .isEqualTo(chunks);
    assertThat(relay.answeredBytes()).isLessThan(wire(LENGTH, chunks));
  }

  @ParameterizedTest
  @CsvSource({"public,default", "secret,new", "vault,new.img", "secret-vault,default"})
  void casyncUpdates(String repository, String store) throws Exception {
    Programs.assumeInstalled("casync");
    client.succeeds(
        "casync",
        "extract",
        "--seed=old.img",
        "--store=" + url(repository, "fw/" + store + ".castr"),
        url(repository, "fw/new.img.caibx"),
        "new.img");
    assertThat(folder.resolve("new.img")).hasBinaryContent(image);
    Map<String, Integer> fetched = chunks(index("new"));
    fetched.keySet().removeAll(chunks(index("old")).keySet());
    long payload = fetched.values().stream().mapToLong(Integer::longValue).sum();
    System.err.printf(
        "UpdateClientsIT: casync fetched %,d bytes for an image of %,d; %,d in chunks that are"
            + " new%n",
        relay.answeredBytes(), LENGTH, payload);
    assertThat(payload).isLessThan(LENGTH / 3);
    assertThat(relay.requests("GET .*/fw/" + store + "[.]castr/")).isEqualTo(fetched.size());
    assertThat(relay.answeredBytes()).isLessThan(wire(payload, fetched.size()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"public", "secret", "vault", "secret-vault"})
  void zsyncUpdates(String repository) throws Exception {
    Programs.assumeInstalled("zsync");
    client.succeeds(
        "zsync",
        "-A",
        "127.0.0.1=device:" + server.operatorToken(),
        "-i",
        "old.img",
        "-o",
        "new.img",
        relay.url("/artifacts/" + repository + "/fw/new.img.zsync"));
    assertThat(folder.resolve("new.img")).hasBinaryContent(image);
    long control = operator.download("/artifacts/public/fw/new.img.zsync").body().length;
    // Each change touches one block more than it fills, and a match takes two blocks in a row.
    int blocks = CHANGES * (CHANGE_LENGTH / ZSYNC_BLOCK + 3) + INSERTED / ZSYNC_BLOCK + 3;
    long payload = control + (long) blocks * ZSYNC_BLOCK;
    System.err.printf(
        "UpdateClientsIT: zsync fetched %,d bytes for an image of %,d%n",
        relay.answeredBytes(), LENGTH);
    assertThat(relay.answeredBytes())
        .isLessThan((long) (TOLERANCE * payload) + 4L * CHANGES * FIELDS_LENGTH);
  }

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
          .contains("public, max-age=31536000, immutable");
      String tag = answer.headers().firstValue("ETag").orElseThrow();
      assertThat(tag).startsWith("\"");
      assertThat(operator.download(address, "If-None-Match", tag).statusCode()).isEqualTo(304);
      assertThat(answer.headers().firstValueAsLong("Content-Length"))
          .hasValue(answer.body().length);
      try (Wire wire = new Wire(server.port())) {
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
    byte[] large = Bytes.random(60_000_000, 73);
    put("public", "later/large.img", large);
    HttpResponse<byte[]> early =
        operator.downloadAsNobody("/artifacts/public/later/large.img.caibx");
    assertThat(early.statusCode()).isEqualTo(404);
    assertThat(early.headers().firstValue("Retry-After")).contains("5");
    assertThat(new String(early.body(), StandardCharsets.UTF_8)).contains("Not ready yet");
    awaitForm("/artifacts/public/later/large.img.caibx");
    String chunk =
        chunks(operator.download("/artifacts/public/later/large.img.caibx").body())
            .keySet()
            .iterator()
            .next();
    String path = "/artifacts/public/later/default.castr/" + chunk.substring(0, 4) + "/" + chunk;
    assertThat(operator.downloadAsNobody(path).statusCode()).isEqualTo(200);
    operator.delete("/api/v1/repositories/public/artifacts/later/large.img");
    assertThat(operator.downloadAsNobody(path).statusCode()).isEqualTo(404);
    assertThat(operator.downloadAsNobody("/artifacts/public/later/large.img.caibx").statusCode())
        .isEqualTo(404);
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

  /** What is not there costs the asker time, and nobody else. */
  @Test
  void strangersMissesDoNotStopUpdates() throws Exception {
    Programs.assumeInstalled("casync");
    Random random = new Random(1);
    byte[] id = new byte[32];
    try (Wire wire = new Wire(server.port())) {
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

  /** At most, of the bytes of an update. */
  private long wire(long payload, int chunks) throws Exception {
    return (long) (TOLERANCE * (payload + index("new").length))
        + (long) FIELDS_LENGTH * (chunks + 2);
  }

  private byte[] index(String name) throws Exception {
    return operator.download("/artifacts/public/fw/" + name + ".img.caibx").body();
  }

  /** Lengths by id, of an index's entries: end and id, behind a head of 64 bytes. */
  private static Map<String, Integer> chunks(byte[] index) {
    ByteBuffer in = ByteBuffer.wrap(index).order(ByteOrder.LITTLE_ENDIAN).position(64);
    Map<String, Integer> chunks = new HashMap<>();
    long begin = 0;
    while (in.remaining() > 40) {
      long end = in.getLong();
      byte[] id = new byte[32];
      in.get(id);
      chunks.put(HexFormat.of().formatHex(id), (int) (end - begin));
      begin = end;
    }
    return chunks;
  }

  /** Both clients know no other way to show a token. */
  private String url(String repository, String path) throws IOException {
    return relay
        .url("/artifacts/" + repository + "/" + path)
        .replace("http://", "http://device:" + server.operatorToken() + "@");
  }

  private void awaitForm(String path) {
    Eventually.eventually(path + " is there", () -> operator.download(path).statusCode() == 200);
  }

  private void create(String name, boolean isPublic, boolean isEncrypted) throws Exception {
    operator.json(
        "POST",
        "/api/v1/repositories",
        "{\"name\": \"%s\", \"public\": %s, \"encrypted\": %s}"
            .formatted(name, isPublic, isEncrypted));
  }

  private void put(String repository, String path, byte[] content) throws Exception {
    HttpResponse<String> answer = operator.put(repository, path, content);
    assertThat(answer.statusCode()).as(answer.body()).isIn(200, 201);
  }

  private static String withoutTime(byte[] controlFile) {
    return new String(controlFile, StandardCharsets.ISO_8859_1).replaceFirst("\nMTime: .*\n", "\n");
  }

  /** Changes here and there, and an insertion that moves everything behind it. */
  private static byte[] newer(byte[] older) {
    Random random = new Random(72);
    byte[] changed = older.clone();
    for (int i = 0; i < CHANGES; i++) {
      byte[] change = new byte[CHANGE_LENGTH];
      random.nextBytes(change);
      int position = (int) ((long) i * LENGTH / CHANGES) + random.nextInt(100_000);
      System.arraycopy(change, 0, changed, position, CHANGE_LENGTH);
    }
    byte[] newer = new byte[LENGTH];
    int middle = LENGTH / 2 + 200_001;
    System.arraycopy(changed, 0, newer, 0, middle);
    System.arraycopy(Bytes.random(INSERTED, 74), 0, newer, middle, INSERTED);
    System.arraycopy(changed, middle, newer, middle + INSERTED, LENGTH - middle - INSERTED);
    return newer;
  }
}
