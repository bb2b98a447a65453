package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.nightly.InTurn;
import io.artifactserver.core.testserver.FaultProxy;
import io.artifactserver.core.testserver.FaultProxy.Fault;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The commands {@code push} and {@code pull} of the packaged program, over a network that fails.
 */
@InTurn(4)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PushPullIT {
  private static final int LENGTH = 6_000_003;

  /** Bytes of an upload after which it stalls. */
  private static final int STALLED = 3_000_000;

  private final byte[] content = Bytes.random(LENGTH, 481);

  /** Standard error of each process. */
  private final Map<Process, Path> errors = new ConcurrentHashMap<>();

  private PackagedServer server;
  private FaultProxy proxy;
  private Operator operator;
  private Path home;
  private Path image;

  @BeforeAll
  void start(@TempDir Path data) throws Exception {
    server = PackagedServer.start(data.resolve("data"), "--artifact-server.derive.enabled=true");
    proxy = FaultProxy.start(server.port());
    operator = new Operator(server);
    operator.createMutableRepository("boards");
    operator.createRepository("secret", false);
  }

  @AfterAll
  void stop() throws IOException {
    operator.close();
    proxy.close();
    server.close();
  }

  @BeforeEach
  void files(@TempDir Path folder) throws IOException {
    home = folder;
    image = Files.write(folder.resolve("firmware.img"), content);
    Files.writeString(folder.resolve("token"), server.operatorToken());
  }

  @Test
  void aFileGoesToTheServerAndComesBack() throws Exception {
    Run push = run("push", "firmware.img", "boards/whole.img");
    assertThat(push.status()).as(push.errors()).isZero();
    assertThat(push.output())
        .startsWith("firmware.img is boards/whole.img: 6.0 MB")
        .contains("SHA-256 " + sha256(content) + " verified");
    Run pull = run("pull", "boards/whole.img", "-o", "back.img");
    assertThat(pull.status()).as(pull.errors()).isZero();
    assertThat(pull.output()).contains("SHA-256 " + sha256(content) + " verified");
    assertThat(home.resolve("back.img")).hasBinaryContent(content);
    requireNothingLeft();
  }

  @Test
  void aSecondTryCostsNothing() throws Exception {
    assertThat(run("push", "firmware.img", "boards/twice.img").status()).isZero();
    int sent = proxy.requests("PATCH").size();
    JsonNode again = json(run("push", "--json", "firmware.img", "boards/twice.img"));
    assertThat(proxy.requests("PATCH")).hasSize(sent);
    assertThat(again.path("status").asString()).isEqualTo("unchanged");
    assertThat(again.path("transferred").asLong()).isZero();
    assertThat(again.path("sha256").asString()).isEqualTo(sha256(content));
    long fetched = proxy.bodyBytes();
    JsonNode pull = json(run("pull", "--json", "boards/twice.img", "-o", "firmware.img"));
    assertThat(pull.path("status").asString()).isEqualTo("unchanged");
    assertThat(proxy.bodyBytes() - fetched).isLessThan(1000);
  }

  @Test
  void severalFilesGoBelowThePath() throws Exception {
    Files.writeString(home.resolve("notes.txt"), "hello");
    Files.createFile(home.resolve("empty"));
    Run push = run("push", "--quiet", "firmware.img", "notes.txt", "empty", "secret/1.0");
    assertThat(push).isEqualTo(new Run(0, "", ""));
    assertThat(operator.download("/artifacts/secret/1.0/notes.txt").body())
        .asString()
        .isEqualTo("hello");
    assertThat(operator.download("/artifacts/secret/1.0/firmware.img").body()).isEqualTo(content);
    assertThat(run("pull", "secret/1.0/empty", "-o", "empty-again").status()).isZero();
    assertThat(home.resolve("empty-again")).isEmptyFile();
  }

  @Test
  void anUploadGoesOnWhenItsClientWasKilled() throws Exception {
    proxy.plan(1, PushPullIT::sends, new Fault.StallUpload(STALLED));
    Process first = start("push", "firmware.img", "boards/killed.img");
    awaitStalledUpload();
    first.destroyForcibly().waitFor();
    proxy.recover();
    JsonNode push = json(run("push", "--json", "firmware.img", "boards/killed.img"));
    assertThat(push.path("transferred").asLong()).isEqualTo(LENGTH - STALLED);
    assertThat(operator.download("/artifacts/boards/killed.img").body()).isEqualTo(content);
    requireNothingLeft();
  }

  @Test
  void anUploadGoesOnWhenItsServerWasKilled() throws Exception {
    proxy.plan(1_000, PushPullIT::sends, new Fault.TruncateUpload(300_000));
    Process push = start("push", "--json", "firmware.img", "boards/restarted.img");
    eventually(
        "some bytes are there",
        () -> operator.get(TusClient.PATH).body().matches("(?s).*\"position\":[1-9].*"));
    server.kill();
    server.restart();
    proxy.recover();
    Run run = end(push);
    assertThat(run.status()).as(run.errors()).isZero();
    assertThat(run.errors()).contains("trying again in");
    assertThat(operator.download("/artifacts/boards/restarted.img").body()).isEqualTo(content);
    requireNothingLeft();
  }

  @Test
  void anUploadGoesOnWhenItsConnectionsBreak() throws Exception {
    proxy.plan(1, PushPullIT::sends, new Fault.ResetUpload(2_000_000));
    proxy.plan(1, PushPullIT::sends, new Fault.TruncateUpload(1_000_000));
    Run push = run("push", "firmware.img", "boards/cut.img");
    assertThat(push.status()).as(push.errors()).isZero();
    assertThat(push.errors()).contains("trying again in");
    assertThat(operator.download("/artifacts/boards/cut.img").body()).isEqualTo(content);
  }

  @Test
  void partsGoBesideEachOther() throws Exception {
    byte[] large = Bytes.random(40_000_001, 484);
    Files.write(image, large);
    proxy.plan(1, PushPullIT::sends, new Fault.TruncateUpload(2_000_000));
    int before = proxy.requests("PATCH").size();
    Run push = run("push", "--parallel", "2", "firmware.img", "boards/parts.img");
    assertThat(push.status()).as(push.errors()).isZero();
    assertThat(proxy.requests("PATCH").size() - before).isEqualTo(3);
    assertThat(operator.download("/artifacts/boards/parts.img").body()).isEqualTo(large);
    requireNothingLeft();
  }

  @Test
  void theDigestGoesWithTheLastBytes() throws Exception {
    byte[] large = Bytes.random(70_000_001, 485);
    Files.write(image, large);
    // As many bytes as the digest's thread has long read.
    proxy.plan(1, PushPullIT::sends, new Fault.StallUpload(60_000_000));
    // A server that is busy looks far, and would get several parts.
    Process first = start("push", "--parallel", "1", "firmware.img", "boards/large.img");
    eventually(
        "the upload stalls",
        () -> operator.get(TusClient.PATH).body().contains("\"position\":60000000"));
    first.destroyForcibly().waitFor();
    proxy.recover();
    int before = proxy.requests("PATCH").size();
    JsonNode push = json(run("push", "--json", "firmware.img", "boards/large.img"));
    assertThat(push.path("transferred").asLong()).isEqualTo(10_000_001);
    assertThat(push.path("sha256").asString()).isEqualTo(sha256(large));
    List<FaultProxy.Request> sent = proxy.requests("PATCH");
    assertThat(sent.subList(before, sent.size()))
        .last()
        .satisfies(last -> assertThat(last.field("Repr-Digest")).isPresent());
    assertThat(operator.download("/artifacts/boards/large.img").body()).isEqualTo(large);
    requireNothingLeft();
  }

  @Test
  void aFileThatHasChangedBeginsAnew() throws Exception {
    proxy.plan(1, PushPullIT::sends, new Fault.StallUpload(STALLED));
    Process first = start("push", "firmware.img", "boards/changed.img");
    awaitStalledUpload();
    first.destroyForcibly().waitFor();
    proxy.recover();
    byte[] other = Bytes.random(LENGTH, 482);
    Files.write(image, other);
    JsonNode push = json(run("push", "--json", "firmware.img", "boards/changed.img"));
    assertThat(push.path("transferred").asLong()).isEqualTo(LENGTH);
    assertThat(operator.download("/artifacts/boards/changed.img").body()).isEqualTo(other);
    requireNothingLeft();
  }

  @Test
  void aDownloadGoesOnWhenItsClientWasKilledAndItsConnectionsBreak() throws Exception {
    operator.put("boards", "down.img", content);
    // Four pieces are under way, one of them stalls; the others come through.
    proxy.plan(1, PushPullIT::fetches, new Fault.Stall(400_000));
    Process first = start("pull", "boards/down.img", "-o", "down.img", "--parallel", "4");
    Path state = home.resolve("down.img.part.state");
    eventually("most bytes are there", () -> hasBytes(state));
    first.destroyForcibly().waitFor();
    proxy.recover();
    proxy.plan(1, PushPullIT::fetches, new Fault.Truncate(100_000));
    proxy.plan(1, PushPullIT::fetches, new Fault.Reset(50_000));
    Run run = run("pull", "--json", "boards/down.img", "-o", "down.img", "--parallel", "4");
    assertThat(json(run).path("transferred").asLong()).isBetween(1L, LENGTH / 2L);
    assertThat(run.errors()).contains("trying again in");
    assertThat(home.resolve("down.img")).hasBinaryContent(content);
    requireNothingLeft();
  }

  @Test
  void anArtifactThatHasChangedIsFetchedAnew() throws Exception {
    operator.put("boards", "mutable.img", content);
    proxy.plan(1, PushPullIT::fetches, new Fault.Stall(400_000));
    Process first = start("pull", "boards/mutable.img", "-o", "mutable.img", "--parallel", "4");
    eventually("most bytes are there", () -> hasBytes(home.resolve("mutable.img.part.state")));
    first.destroyForcibly().waitFor();
    proxy.recover();
    byte[] other = Bytes.random(LENGTH - 7, 483);
    operator.delete("/api/v1/repositories/boards/artifacts/mutable.img");
    assertThat(operator.put("boards", "mutable.img", other).statusCode()).isEqualTo(201);
    assertThat(run("pull", "boards/mutable.img", "-o", "mutable.img").status()).isZero();
    assertThat(home.resolve("mutable.img")).hasBinaryContent(other);
  }

  @Test
  void aByteThatIsWrongIsNoticedAndFetchedAgain() throws Exception {
    operator.put("boards", "flip.img", content);
    proxy.plan(1, PushPullIT::fetches, new Fault.Flip(1000));
    Run pull = run("pull", "boards/flip.img");
    assertThat(pull.status()).as(pull.errors()).isZero();
    assertThat(pull.errors()).contains("another SHA-256");
    assertThat(home.resolve("flip.img")).hasBinaryContent(content);
    proxy.plan(1, PushPullIT::sends, new Fault.FlipUpload(1000));
    Run push = run("push", "firmware.img", "boards/flipped.img");
    assertThat(push.status()).isEqualTo(5);
    assertThat(push.errors()).contains("Nothing was kept");
    assertThat(run("push", "firmware.img", "boards/flipped.img").status()).isZero();
  }

  @Test
  void aSeedSavesWhatItHas() throws Exception {
    byte[] next = content.clone();
    Arrays.fill(next, LENGTH / 2, LENGTH / 2 + 100_000, (byte) 1);
    operator.put("boards", "next.img", next);
    eventually(
        "its chunks are there",
        () -> operator.download("/artifacts/boards/next.img.caibx").statusCode() == 200);
    long before = proxy.bodyBytes();
    Run run = run("pull", "--json", "boards/next.img", "-o", "next.img", "--seed", "firmware.img");
    JsonNode pull = json(run);
    assertThat(home.resolve("next.img")).hasBinaryContent(next);
    assertThat(pull.path("transferred").asLong()).isBetween(100_000L, LENGTH / 3L);
    assertThat(pull.path("seeded").asLong()).isEqualTo(LENGTH - pull.path("transferred").asLong());
    assertThat(proxy.bodyBytes() - before).isLessThan(LENGTH / 3);
    Files.delete(home.resolve("next.img"));
    assertThat(run("pull", "boards/next.img", "--seed", "firmware.img").output())
        .contains("taken from the seed");
  }

  @Test
  void aRefusalHasItsStatusAndSaysWhatToDo() throws Exception {
    operator.put("boards", "taken.img", new byte[3]);
    Run taken = run("push", "firmware.img", "boards/taken.img");
    assertThat(taken.status()).isEqualTo(5);
    assertThat(taken.errors()).contains("has other bytes already");
    assertThat(run("push", "firmware.img", "absent/taken.img").status()).isEqualTo(4);
    assertThat(run("push", "absent.img", "boards/absent.img").status()).isEqualTo(4);
    assertThat(run("pull", "boards/absent.img").status()).isEqualTo(4);
    assertThat(run("push", "firmware.img").status()).isEqualTo(2);
    assertThat(run("pull", "boards/absent.img", "--server", "host:80").status()).isEqualTo(2);
    Files.writeString(home.resolve("token"), "wrong");
    Run refused = run("push", "--json", "firmware.img", "boards/refused.img");
    assertThat(refused.status()).isEqualTo(3);
    assertThat(refused.errors()).contains("does not accept this token", "--token-file");
    JsonNode json = JsonMapper.shared().readTree(refused.output());
    assertThat(json.path("status").asString()).isEqualTo("failed");
    assertThat(json.path("exit").asInt()).isEqualTo(3);
  }

  @Test
  void anAuthorityOfOnesOwnIsTrusted() throws Exception {
    try (Endpoint secured = Endpoint.start(Transport.TLS13, home.resolve("tls"));
        Operator admin = secured.operator()) {
      admin.createRepository("boards", true);
      Files.writeString(home.resolve("token"), secured.operatorToken());
      String[] push = {
        "push", "firmware.img", "boards/tls.img", "--server", secured.uri("").toString()
      };
      Run stranger = run(push);
      assertThat(stranger.status()).isEqualTo(1);
      assertThat(stranger.errors()).contains("--ca FILE");
      List<String> trusting = new ArrayList<>(List.of(push));
      trusting.addAll(List.of("--ca", secured.authorityFile().toString()));
      Run trusted = run(trusting.toArray(String[]::new));
      assertThat(trusted.status()).as(trusted.errors()).isZero();
    }
  }

  private void awaitStalledUpload() {
    eventually(
        "the upload stalls",
        () -> operator.get(TusClient.PATH).body().contains("\"position\":" + STALLED));
  }

  private static boolean sends(FaultProxy.Request request) {
    return request.method().equals("PATCH");
  }

  private static boolean fetches(FaultProxy.Request request) {
    return request.method().equals("GET") && request.field("Range").isPresent();
  }

  /** Whether nearly all of a download is remembered. */
  private static boolean hasBytes(Path state) throws IOException {
    if (!Files.exists(state)) {
      return false;
    }
    long bytes = 0;
    Matcher run = Pattern.compile("(\\d+)-(\\d+)").matcher(Files.readString(state));
    while (run.find()) {
      bytes += Long.parseLong(run.group(2)) - Long.parseLong(run.group(1));
    }
    return bytes > LENGTH - 1_000_000;
  }

  /** Neither an unfinished upload nor what the client remembered. */
  private void requireNothingLeft() throws Exception {
    assertThat(operator.get(TusClient.PATH).body()).contains("[]");
    assertThat(home.resolve(".local/state/artifact-server/uploads"))
        .satisfiesAnyOf(
            folder -> assertThat(folder).doesNotExist(),
            folder -> assertThat(folder).isEmptyDirectory());
    assertThat(home.toFile().list((_, name) -> name.contains(".part"))).isEmpty();
  }

  private static JsonNode json(Run run) {
    assertThat(run.status()).as(run.errors()).isZero();
    return JsonMapper.shared().readTree(run.output());
  }

  private Run run(String... arguments) throws Exception {
    return end(start(arguments));
  }

  private Process start(String... arguments) throws IOException {
    ProcessBuilder builder =
        PackagedServer.program(List.of(arguments))
            .directory(home.toFile())
            .redirectErrorStream(false)
            .redirectError(Files.createTempFile(home, "errors-", ".log").toFile());
    builder.command().addAll(List.of("--token-file", "token"));
    Map<String, String> environment = builder.environment();
    environment.keySet().removeIf(name -> name.startsWith("XDG_"));
    environment.put("HOME", home.toString());
    environment.put("ARTIFACT_SERVER_URL", proxy.endpoint().toString());
    Process process = builder.start();
    process.getOutputStream().close();
    errors.put(process, builder.redirectError().file().toPath());
    return process;
  }

  private Run end(Process process) throws Exception {
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    Path log = errors.get(process);
    assertThat(process.waitFor(180, TimeUnit.SECONDS)).as(Files.readString(log)).isTrue();
    return new Run(process.exitValue(), output, Files.readString(log));
  }

  private record Run(int status, String output, String errors) {}

  private static String sha256(byte[] bytes) {
    DigestAlgorithm algorithm = DigestAlgorithm.SHA_256;
    return Digest.of(algorithm, algorithm.newMessageDigest().digest(bytes)).hex();
  }
}
