package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.program.Programs;
import io.artifactserver.core.waiting.Eventually;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Updates by casync, desync and zsync from a server that was given nothing but the images, from
 * repositories that are public and not, plain and encrypted. A test whose program is missing is
 * skipped and says so; .ci/run installs them.
 */
@ParameterizedClass(name = "{0}")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class UpdateClients {
  static final int LENGTH = 12_000_000;
  private static final int CHANGES = 20;
  private static final int CHANGE_LENGTH = 3_000;
  private static final int INSERTED = 5_000;
  private static final int ZSYNC_BLOCK = 2_048;

  /** The most that an answer has beside its body. */
  private static final int FIELDS_LENGTH = 700;

  private static final double TOLERANCE = 1.05;

  /** Where casync looks for chunks if it is told; RAUC tells it the second and the third. */
  private static final Map<String, String> STORES =
      Map.of("secret", "new", "vault", "new.img", "secret-vault", "default");

  private final byte[] oldImage = Bytes.random(LENGTH, 71);
  final byte[] image = newer(oldImage);

  @Parameter Transport transport;

  Endpoint server;
  Operator operator;
  RecordingRelay relay;
  Path folder;
  Client client;

  @BeforeParameterizedClassInvocation(injectArguments = false)
  void start(@TempDir Path temporary) throws Exception {
    List<String> arguments = new ArrayList<>(startStorage(temporary));
    arguments.add("--artifact-server.derive.enabled=true");
    server = Endpoint.start(transport, temporary, arguments.toArray(String[]::new));
    operator = server.operator();
    for (String repository : repositories()) {
      create(repository, !isSecret(repository), repository.endsWith("vault"));
      put(repository, "fw/old.img", oldImage);
      put(repository, "fw/new.img", image);
      for (String form : new String[] {"old.img.caibx", "new.img.caibx", "new.img.zsync"}) {
        awaitForm("/artifacts/" + repository + "/fw/" + form);
      }
    }
  }

  @AfterParameterizedClassInvocation
  void stop() throws IOException {
    operator.close();
    server.close();
    stopStorage();
  }

  /** Starts what keeps the blobs; returns the properties that say where it is. */
  List<String> startStorage(Path folder) throws Exception {
    return List.of();
  }

  void stopStorage() throws IOException {}

  /**
   * Those whose names begin with secret take a token, and those that end in vault are encrypted.
   */
  List<String> repositories() {
    return List.of("public", "secret", "vault", "secret-vault");
  }

  @BeforeEach
  void relay(@TempDir Path temporary) throws IOException {
    folder = temporary;
    client = new Client(folder, server);
    relay = new RecordingRelay(server);
    Files.write(folder.resolve("old.img"), oldImage);
  }

  @AfterEach
  void stopRelay() throws IOException {
    relay.close();
  }

  @ParameterizedTest
  @MethodSource("repositories")
  void casyncExtracts(String repository) throws Exception {
    Programs.assumeInstalled("casync");
    client.succeeds("casync", "extract", url(repository, "fw/new.img.caibx"), "new.img");
    assertThat(folder.resolve("new.img")).hasBinaryContent(image);
    int chunks = chunks(index("new")).size();
    requireAsked("GET /artifacts/" + repository + "/fw/default.castr/", chunks);
    assertThat(relay.answeredBytes()).isLessThan(wire(LENGTH, chunks));
  }

  @ParameterizedTest
  @MethodSource("repositories")
  void casyncUpdates(String repository) throws Exception {
    String store = STORES.get(repository);
    Programs.assumeInstalled("casync");
    List<String> command = new ArrayList<>(List.of("casync", "extract", "--seed=old.img"));
    if (store != null) {
      command.add("--store=" + url(repository, "fw/" + store + ".castr"));
    }
    command.addAll(List.of(url(repository, "fw/new.img.caibx"), "new.img"));
    client.succeeds(command.toArray(String[]::new));
    assertThat(folder.resolve("new.img")).hasBinaryContent(image);
    Map<String, Integer> fetched = chunks(index("new"));
    fetched.keySet().removeAll(chunks(index("old")).keySet());
    long payload = fetched.values().stream().mapToLong(Integer::longValue).sum();
    System.err.printf(
        "%s: casync fetched %,d bytes for an image of %,d; %,d in chunks that are new%n",
        getClass().getSimpleName(), relay.answeredBytes(), LENGTH, payload);
    assertThat(payload).isLessThan(LENGTH / 3);
    requireAsked(
        "GET .*/fw/%s[.]castr/".formatted(Objects.requireNonNullElse(store, "default")),
        fetched.size());
    assertThat(relay.answeredBytes()).isLessThan(wire(payload, fetched.size()));
  }

  @ParameterizedTest
  @MethodSource("repositories")
  void desyncUpdates(String repository) throws Exception {
    Programs.assumeInstalled("desync");
    client.succeeds("desync", "make", "old.img.caibx", "old.img");
    client.succeeds(
        "desync",
        "extract",
        "--seed=old.img.caibx",
        "--store=" + url(repository, "fw/default.castr"),
        url(repository, "fw/new.img.caibx"),
        "new.img");
    assertThat(folder.resolve("new.img")).hasBinaryContent(image);
    Map<String, Integer> fetched = chunks(index("new"));
    // Its own cuts, where they differ, cost it a chunk here and there.
    fetched
        .keySet()
        .removeAll(chunks(Files.readAllBytes(folder.resolve("old.img.caibx"))).keySet());
    long payload = fetched.values().stream().mapToLong(Integer::longValue).sum();
    System.err.printf(
        "%s: desync fetched %,d bytes for an image of %,d%n",
        getClass().getSimpleName(), relay.answeredBytes(), LENGTH);
    assertThat(payload).isLessThan(LENGTH / 3);
    requireAsked("GET .*/fw/default[.]castr/", fetched.size());
    assertThat(relay.answeredBytes()).isLessThan(wire(payload, fetched.size()));
  }

  @ParameterizedTest(allowZeroInvocations = true)
  @MethodSource("zsyncRepositories")
  void zsyncUpdates(String repository) throws Exception {
    Programs.assumeInstalled("zsync");
    List<String> command = new ArrayList<>(List.of("zsync", "-i", "old.img", "-o", "new.img"));
    if (isSecret(repository)) {
      command.addAll(List.of("-A", "127.0.0.1=device:" + server.operatorToken()));
    }
    command.add(relay.url("/artifacts/" + repository + "/fw/new.img.zsync"));
    client.succeeds(command.toArray(String[]::new));
    assertThat(folder.resolve("new.img")).hasBinaryContent(image);
    long control = operator.download("/artifacts/public/fw/new.img.zsync").body().length;
    // Each change touches one block more than it fills, and a match takes two blocks in a row.
    int blocks = CHANGES * (CHANGE_LENGTH / ZSYNC_BLOCK + 3) + INSERTED / ZSYNC_BLOCK + 3;
    long payload = control + (long) blocks * ZSYNC_BLOCK;
    System.err.printf(
        "%s: zsync fetched %,d bytes for an image of %,d%n",
        getClass().getSimpleName(), relay.answeredBytes(), LENGTH);
    assertThat(relay.answeredBytes())
        .isLessThan((long) (TOLERANCE * payload) + 4L * CHANGES * FIELDS_LENGTH);
  }

  /** So many requests; where nobody between the ends can read them, their bytes say enough. */
  private void requireAsked(String pattern, int times) {
    if (relay.isReadable()) {
      assertThat(relay.requests(pattern)).isEqualTo(times);
    }
  }

  /** At most, of the bytes of an update. */
  private long wire(long payload, int chunks) throws Exception {
    return (long) (TOLERANCE * (payload + index("new").length))
        + (long) FIELDS_LENGTH * (chunks + 2);
  }

  byte[] index(String name) throws Exception {
    return operator.download("/artifacts/public/fw/" + name + ".img.caibx").body();
  }

  /** Lengths by id in the index's order; its entries are end and id, behind a head of 64 bytes. */
  static Map<String, Integer> chunks(byte[] index) {
    ByteBuffer in = ByteBuffer.wrap(index).order(ByteOrder.LITTLE_ENDIAN).position(64);
    Map<String, Integer> chunks = new LinkedHashMap<>();
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

  /** It knows no TLS. */
  List<String> zsyncRepositories() {
    return transport.isSecured() ? List.of() : repositories();
  }

  private static boolean isSecret(String repository) {
    return repository.startsWith("secret");
  }

  /** With a token where one is needed: casync knows no other way to show it. */
  String url(String repository, String path) throws IOException {
    String url = relay.url("/artifacts/" + repository + "/" + path);
    return isSecret(repository)
        ? url.replace("://", "://device:" + server.operatorToken() + "@")
        : url;
  }

  void awaitForm(String path) {
    Eventually.eventually(path + " is there", () -> operator.download(path).statusCode() == 200);
  }

  private void create(String name, boolean isPublic, boolean isEncrypted) throws Exception {
    operator.json(
        "POST",
        "/api/v1/repositories",
        "{\"name\": \"%s\", \"public\": %s, \"encrypted\": %s}"
            .formatted(name, isPublic, isEncrypted));
  }

  void put(String repository, String path, byte[] content) throws Exception {
    HttpResponse<String> answer = operator.put(repository, path, content);
    assertThat(answer.statusCode()).as(answer.body()).isIn(200, 201);
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
