package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.nightly.InTurn;
import io.artifactserver.core.nightly.Nightly;
import io.artifactserver.core.testserver.FaultProxy;
import io.artifactserver.core.testserver.S3ProxyServer;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two servers on one external database and one bucket, each with a folder of its own. One serves;
 * the other one says that it waits, sweeps nothing, and takes over with everything that was
 * acknowledged.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@InTurn(0)
class TwoServersIT {
  private static final int LENGTH = 6_000_001;
  private static final String WAITS = "Waiting: artifact-server, process ";
  private static final String LISTENS = "Listening on";

  /** The bytes of uploads that were answered with 201, by repository and name. */
  private final Map<String, byte[]> acknowledged = new TreeMap<>();

  private Path folder;
  private S3ProxyServer s3;
  private PackagedServer database;

  @BeforeAll
  void start(@TempDir Path shared) throws Exception {
    folder = shared;
    s3 = S3ProxyServer.start(shared.resolve("s3"));
    database = PackagedServer.start(shared.resolve("database"));
  }

  @AfterAll
  void stop() throws Exception {
    if (database != null) {
      database.close();
    }
    s3.close();
  }

  @Test
  void theSecondWaitsWhileTheFirstUploadsAndTakesOver() throws Exception {
    acknowledged.clear();
    try (FaultProxy bucket = FaultProxy.start(s3.port())) {
      String[] settings = settings("orders", bucket);
      Path a = folder.resolve("orders-a");
      Path b = folder.resolve("orders-b");
      try (PackagedServer first = PackagedServer.start(a, settings);
          Operator operator = new Operator(first)) {
        operator.createRepository("plain", true);
        operator.createEncryptedRepository("vault");
        put(operator, "plain", "early");
        put(operator, "vault", "early");
        CountDownLatch slow = hold(bucket, 2);
        FutureTask<Integer> plain = uploading(first, "plain", "slow");
        FutureTask<Integer> sealed = uploading(first, "vault", "slow");
        eventually("both are under way", () -> uploads(bucket) == 4);
        shareSecrets(a, b);
        try (PackagedServer second = PackagedServer.startWithoutWaiting(b, settings)) {
          eventually("it says so", () -> second.log().contains(WAITS + first.pid()));
          assertThat(second.log()).doesNotContain(LISTENS);
          slow.countDown();
          assertThat(plain.get()).isEqualTo(201);
          assertThat(sealed.get()).isEqualTo(201);
          acknowledged.put("plain/slow", content("plain", "slow"));
          acknowledged.put("vault/slow", content("vault", "slow"));
          assertThat(bucket.requests("DELETE")).as("nobody sweeps").isEmpty();
          requireAcknowledged(operator);

          // One more, which will never be acknowledged.
          CountDownLatch never = hold(bucket, 1);
          FutureTask<Integer> lost = uploading(first, "vault", "lost");
          eventually("it is under way", () -> uploads(bucket) == 5);
          first.kill();
          second.awaitHealthy();
          never.countDown();
          assertThat(lost).failsWithin(Duration.ofMinutes(1));
          try (Operator after = new Operator(second)) {
            requireAcknowledged(after);
            assertThat(after.downloadAsNobody("/artifacts/vault/lost").statusCode()).isEqualTo(404);
            put(after, "plain", "late");
            put(after, "vault", "late");
          }

          // The other way round, and an orderly end.
          try (PackagedServer again = PackagedServer.startWithoutWaiting(a, settings);
              Operator late = new Operator(again)) {
            eventually("it waits too", () -> again.log().contains(WAITS + second.pid()));
            assertThat(again.log()).doesNotContain(LISTENS);
            second.stop();
            again.awaitHealthy();
            requireAcknowledged(late);
          }
        }
      }
    }
  }

  @Test
  @Nightly("The second one waits for the lock as in the test before.")
  void ofTwoThatStartAtOnceOneServes() throws Exception {
    try (FaultProxy bucket = FaultProxy.start(s3.port())) {
      String[] settings = settings("together", bucket);
      try (PackagedServer one =
              PackagedServer.startWithoutWaiting(folder.resolve("together-a"), settings);
          PackagedServer other =
              PackagedServer.startWithoutWaiting(folder.resolve("together-b"), settings)) {
        eventually(
            "one serves and the other one waits",
            () ->
                (one.log().contains(LISTENS) && other.log().contains(WAITS + one.pid()))
                    || (other.log().contains(LISTENS) && one.log().contains(WAITS + other.pid())));
        boolean isOne = one.log().contains(LISTENS);
        PackagedServer serving = isOne ? one : other;
        PackagedServer waiting = isOne ? other : one;
        assertThat(waiting.log()).doesNotContain(LISTENS);
        serving.kill();
        waiting.awaitHealthy();
      }
    }
  }

  /** The lock's connection breaks while an upload is under way: the other one may get the lock. */
  @Test
  @Nightly("DurabilityIT breaks the database's connection too, and ChaosIT changes the server.")
  void whatIsAcknowledgedWhileTheLockChangesHandsIsKept() throws Exception {
    acknowledged.clear();
    try (FaultProxy bucket = FaultProxy.start(s3.port())) {
      String[] settings = settings("hands", bucket);
      Path a = folder.resolve("hands-a");
      Path b = folder.resolve("hands-b");
      try (PackagedServer first = PackagedServer.start(a, settings);
          Operator operator = new Operator(first)) {
        operator.createRepository("plain", true);
        operator.createEncryptedRepository("vault");
        put(operator, "vault", "early");
        CountDownLatch slow = hold(bucket, 1);
        FutureTask<Integer> upload = uploading(first, "vault", "slow");
        eventually("it is under way", () -> uploads(bucket) == 2);
        shareSecrets(a, b);
        try (PackagedServer second = PackagedServer.startWithoutWaiting(b, settings)) {
          eventually("it waits", () -> second.log().contains(WAITS));
          // Until the second one is faster.
          eventually(
              "it has the lock",
              () -> {
                breakLock(settings, first.pid());
                return second.log().contains(LISTENS);
              });
          slow.countDown();
          int status = upload.get();
          assertThat(status).isIn(201, 503);
          if (status == 201) {
            acknowledged.put("vault/slow", content("vault", "slow"));
          }
          HttpResponse<String> late = operator.put("vault", "too-late", new byte[100]);
          assertThat(late.statusCode()).as(late.body()).isEqualTo(503);
          try (Operator after = new Operator(second)) {
            requireAcknowledged(after);
            put(after, "vault", "late");
            first.kill();
            requireAcknowledged(after);
          }
        }
      }
    }
  }

  private String[] settings(String name, FaultProxy bucket) throws Exception {
    List<String> settings =
        new ArrayList<>(List.of(DurabilityIT.newDatabase(database.dataFolder(), name)));
    settings.addAll(
        List.of(
            "--artifact-server.storage.backend=s3",
            "--artifact-server.storage.s3.endpoint=" + bucket.endpoint(),
            "--artifact-server.storage.s3.bucket=" + name,
            "--artifact-server.storage.s3.access-key=" + S3ProxyServer.ACCESS_KEY,
            "--artifact-server.storage.s3.secret-key=" + S3ProxyServer.SECRET_KEY,
            "--artifact-server.storage.s3.path-style=true",
            "--artifact-server.storage.s3.create-bucket=true",
            "--artifact-server.storage.s3.part-size=5MB",
            "--artifact-server.storage.s3.read-timeout=5m",
            "--artifact-server.connections.stall-timeout=20m",
            // Nothing young is swept, however often it is swept.
            "--artifact-server.retire.sweep-interval=1s"));
    return settings.toArray(String[]::new);
  }

  /** The first parts of so many uploads are answered when the latch is opened. */
  private static CountDownLatch hold(FaultProxy bucket, int uploads) {
    CountDownLatch latch = new CountDownLatch(1);
    bucket.plan(uploads, TwoServersIT::isFirstPart, new FaultProxy.Fault.Hold(latch));
    return latch;
  }

  private static boolean isFirstPart(FaultProxy.Request request) {
    return request.target().matches(".*[?&]partNumber=1(&.*)?");
  }

  /** How many uploads in parts have sent something. */
  private static long uploads(FaultProxy bucket) {
    return bucket.requests("PUT").stream().filter(TwoServersIT::isFirstPart).count();
  }

  private static FutureTask<Integer> uploading(
      PackagedServer server, String repository, String name) {
    FutureTask<Integer> upload =
        new FutureTask<>(() -> {
          try (Operator operator = new Operator(server)) {
            return operator.put(repository, name, content(repository, name)).statusCode();
          }
        });
    Thread.ofVirtual().name("slow-upload").start(upload);
    return upload;
  }

  private void put(Operator operator, String repository, String name) throws Exception {
    byte[] content = content(repository, name);
    assertThat(operator.put(repository, name, content).statusCode()).isEqualTo(201);
    acknowledged.put(repository + "/" + name, content);
  }

  private static byte[] content(String repository, String name) {
    return Bytes.random(LENGTH, (repository + name).hashCode());
  }

  private void requireAcknowledged(Operator operator) throws Exception {
    for (Map.Entry<String, byte[]> entry : acknowledged.entrySet()) {
      HttpResponse<byte[]> answer = operator.downloadAsNobody("/artifacts/" + entry.getKey());
      assertThat(answer.statusCode()).as(entry.getKey()).isEqualTo(200);
      assertThat(Arrays.mismatch(answer.body(), entry.getValue())).isEqualTo(-1);
    }
  }

  /** Copies the files that another machine needs, as the page on backups says. */
  private static void shareSecrets(Path from, Path to) throws Exception {
    Files.createDirectories(to);
    for (String name : List.of("keys.json", "operator-token")) {
      Files.copy(from.resolve(name), to.resolve(name));
    }
  }

  private static void breakLock(String[] settings, long pid) throws Exception {
    try (Connection connection =
            DriverManager.getConnection(
                value(settings, "url"), value(settings, "username"), value(settings, "password"));
        PreparedStatement statement =
            connection.prepareStatement(
                "select pg_terminate_backend(pid) from pg_stat_activity where application_name"
                    + " = ?")) {
      statement.setString(1, "artifact-server, process " + pid);
      try (ResultSet result = statement.executeQuery()) {
        assertThat(result).isNotNull();
      }
    }
  }

  private static String value(String[] settings, String property) {
    String prefix = "--artifact-server.database." + property + "=";
    return Stream.of(settings)
        .filter(setting -> setting.startsWith(prefix))
        .map(setting -> setting.substring(prefix.length()))
        .findFirst()
        .orElseThrow();
  }
}
