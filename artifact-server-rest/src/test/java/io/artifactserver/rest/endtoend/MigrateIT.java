package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.nightly.InTurn;
import io.artifactserver.core.nightly.Nightly;
import io.artifactserver.core.testserver.S3ProxyServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** The packaged program moves blobs to a bucket and back, beside a server that serves. */
@InTurn(6)
class MigrateIT {
  private static final int LENGTH = 7_000_003;
  private static final String INDEX = "/artifacts/vault/firmware.caibx";
  private static final String CONTROL = "/artifacts/vault/firmware.zsync";

  private final byte[] plain = Bytes.random(LENGTH, 1);
  private final byte[] secret = Bytes.random(LENGTH, 2);
  private final byte[] late = Bytes.random(1000, 3);

  @Test
  void movesToTheBucketAndBackWhileTheServerServes(@TempDir Path folder) throws Exception {
    Path data = folder.resolve("data");
    try (S3ProxyServer s3 = S3ProxyServer.start(folder.resolve("s3"))) {
      String[] bucket = bucket(s3);
      try (PackagedServer server = PackagedServer.start(data);
          Operator operator = new Operator(server)) {
        operator.createRepository("fleet", true);
        operator.createEncryptedRepository("vault");
        assertThat(operator.put("fleet", "firmware", plain).statusCode()).isEqualTo(201);
        assertThat(operator.put("vault", "firmware", secret).statusCode()).isEqualTo(201);
        Run first = migrate(data, "file", "s3", bucket);
        assertThat(first.output()).contains("Copied 2, there already 0");
        assertThat(first.status()).isZero();
        requireAll(operator);
        assertThat(operator.put("fleet", "late", late).statusCode()).isEqualTo(201);
      }
      // The server is stopped: the command starts the database itself.
      assertThat(migrate(data, "file", "s3", bucket).output())
          .contains("Copied 1, there already 2");
      List<String> onS3 = new ArrayList<>(List.of(bucket));
      onS3.add("--artifact-server.storage.backend=s3");
      deleteBlobs(data);
      try (PackagedServer server = PackagedServer.start(data, onS3.toArray(String[]::new));
          Operator operator = new Operator(server)) {
        requireAll(operator);
        requireSame(operator, "/artifacts/fleet/late", late);
        eventually(
            "plain blobs that were migrated have checksums",
            () ->
                server.log().contains(" blobs that had no checksums have some now; 0 are damaged"));
        Run back = migrate(data, "s3", "file", bucket);
        assertThat(back.output()).contains("Copied 3, there already 0");
        assertThat(back.status()).isZero();
      }
      try (PackagedServer server = PackagedServer.start(data);
          Operator operator = new Operator(server)) {
        requireAll(operator);
        requireSame(operator, "/artifacts/fleet/late", late);
      }
    }
  }

  /** They are not computed again: a device goes on with the update that it has begun. */
  @Test
  @Nightly("The test before moves blobs, and forms are blobs.")
  void formsMoveWithTheirArtifacts(@TempDir Path folder) throws Exception {
    Path data = folder.resolve("data");
    String derives = "--artifact-server.derive.enabled=true";
    String created;
    byte[] index;
    byte[] control;
    try (S3ProxyServer s3 = S3ProxyServer.start(folder.resolve("s3"))) {
      String[] bucket = bucket(s3);
      try (PackagedServer server = PackagedServer.start(data, derives);
          Operator operator = new Operator(server)) {
        operator.createEncryptedRepository("vault");
        assertThat(operator.put("vault", "firmware", secret).statusCode()).isEqualTo(201);
        eventually("it has all forms", () -> !forms(operator).contains("waiting"));
        index = operator.download(INDEX).body();
        control = operator.download(CONTROL).body();
        created = forms(operator);
        assertThat(created).contains("caibx", "zsync", "created");
      }
      assertThat(migrate(data, "file", "s3", bucket).status()).isZero();
      deleteBlobs(data);
      List<String> onS3 = new ArrayList<>(List.of(bucket));
      onS3.add("--artifact-server.storage.backend=s3");
      onS3.add(derives);
      try (PackagedServer server = PackagedServer.start(data, onS3.toArray(String[]::new));
          Operator operator = new Operator(server)) {
        assertThat(operator.download(INDEX).body()).isEqualTo(index);
        assertThat(operator.download(CONTROL).body()).isEqualTo(control);
        assertThat(forms(operator)).isEqualTo(created);
      }
    }
  }

  /** The forms in the API's answer, with the time when each was computed. */
  private static String forms(Operator operator) throws Exception {
    return JsonMapper.shared()
        .readTree(operator.get("/api/v1/repositories/vault/artifacts/firmware").body())
        .get("forms")
        .toString();
  }

  @Test
  void saysWhatIsWrong(@TempDir Path folder) throws Exception {
    Path data = folder.resolve("data");
    Run same = migrate(data, "file", "file");
    assertThat(same.status()).isEqualTo(2);
    assertThat(same.output())
        .contains("name two backends", "--from file --to s3", "migrate --help");
    Run noBucket = migrate(data, "file", "s3");
    assertThat(noBucket.status()).isEqualTo(1);
    assertThat(noBucket.output())
        .contains("artifact-server migrate: ")
        .doesNotContain("at io.artifactserver");
  }

  private static String[] bucket(S3ProxyServer s3) {
    return new String[] {
      "--artifact-server.storage.s3.endpoint=" + s3.endpoint(),
      "--artifact-server.storage.s3.bucket=moved",
      "--artifact-server.storage.s3.create-bucket=true",
      "--artifact-server.storage.s3.access-key=" + S3ProxyServer.ACCESS_KEY,
      "--artifact-server.storage.s3.secret-key=" + S3ProxyServer.SECRET_KEY,
      "--artifact-server.storage.s3.path-style=true"
    };
  }

  private void requireAll(Operator operator) throws Exception {
    requireSame(operator, "/artifacts/fleet/firmware", plain);
    requireSame(operator, "/artifacts/vault/firmware", secret);
  }

  private static void requireSame(Operator operator, String address, byte[] expected)
      throws Exception {
    assertThat(Arrays.mismatch(operator.download(address).body(), expected)).isEqualTo(-1);
  }

  private static void deleteBlobs(Path data) throws IOException {
    try (Stream<Path> files = Files.walk(data.resolve("blobs"))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Files.delete(file);
      }
    }
  }

  private static Run migrate(Path data, String from, String to, String... settings)
      throws Exception {
    List<String> arguments = new ArrayList<>(List.of("migrate", "--from", from, "--to", to));
    arguments.add("--artifact-server.data-dir=" + data);
    arguments.addAll(List.of(settings));
    Process process = PackagedServer.program(arguments).start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (!process.waitFor(120, TimeUnit.SECONDS)) {
      throw new IllegalStateException("migrate does not end:\n" + output);
    }
    return new Run(process.exitValue(), output);
  }

  private record Run(int status, String output) {}
}
