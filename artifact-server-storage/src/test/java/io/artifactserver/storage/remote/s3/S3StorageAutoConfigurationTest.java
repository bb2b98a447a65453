package io.artifactserver.storage.remote.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.testserver.FaultProxy;
import io.artifactserver.core.testserver.Ports;
import io.artifactserver.core.testserver.S3ProxyServer;
import io.artifactserver.storage.backend.SetupException;
import io.artifactserver.storage.backend.SetupFailureAnalyzer;
import io.artifactserver.storage.backend.UnknownBackendAutoConfiguration;
import io.artifactserver.storage.remote.window.WindowAutoConfiguration;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.util.unit.DataSize;

@ExtendWith(OutputCaptureExtension.class)
class S3StorageAutoConfigurationTest {
  @TempDir private static Path folder;
  private static S3ProxyServer server;

  @BeforeAll
  static void startServer() throws Exception {
    server = S3ProxyServer.start(folder);
  }

  @AfterAll
  static void stopServer() throws Exception {
    server.close();
  }

  private static ApplicationContextRunner runner() {
    return new ApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(
                WindowAutoConfiguration.class,
                S3StorageAutoConfiguration.class,
                UnknownBackendAutoConfiguration.class))
        .withPropertyValues(
            "artifact-server.storage.backend=s3",
            S3Properties.PREFIX + ".endpoint=" + server.endpoint(),
            S3Properties.PREFIX + ".access-key=" + S3ProxyServer.ACCESS_KEY,
            S3Properties.PREFIX + ".secret-key=" + S3ProxyServer.SECRET_KEY,
            S3Properties.PREFIX + ".path-style=true",
            S3Properties.PREFIX + ".start-timeout=0s");
  }

  @Test
  void createsTheBucketIfThatIsWanted() {
    runner()
        .withPropertyValues(set("bucket", "made"), set("create-bucket", "true"))
        .run(context -> assertThat(context.getBean(BlobStore.class).name()).isEqualTo("s3"));
    runner()
        .withPropertyValues(set("bucket", "made"))
        .run(context -> context.getBean(BlobStore.class).check());
  }

  @Test
  void anotherServerMayCreateTheBucketFirst(CapturedOutput output) throws Exception {
    runner()
        .withPropertyValues(set("bucket", "raced"), set("create-bucket", "true"))
        .run(context -> assertThat(context).hasNotFailed());
    try (FaultProxy proxy = FaultProxy.start(server.port())) {
      proxy.plan(
          1,
          request -> request.method().equals("HEAD"),
          new FaultProxy.Fault.Refuse(404, "NoSuchBucket"));
      runner()
          .withPropertyValues(
              set("endpoint", proxy.endpoint().toString()),
              set("bucket", "raced"),
              set("create-bucket", "true"))
          .run(context -> assertThat(context).hasNotFailed());
    }
    assertThat(output).contains("Another server has just created bucket raced");
  }

  @Test
  void saysThatTheBucketIsMissingAndWhatToDo(CapturedOutput output) {
    requireRefusal(
        runner().withPropertyValues(set("bucket", "missing")),
        "There is no bucket \"missing\" at " + server.endpoint(),
        "--artifact-server.storage.s3.create-bucket=true");
    requireRefusal(runner(), "set artifact-server.storage.s3.bucket");
    assertThat(output).doesNotContain(S3ProxyServer.SECRET_KEY);
  }

  @Test
  void saysThatTheCredentialsAreWrong(CapturedOutput output) {
    requireRefusal(
        runner().withPropertyValues(set("bucket", "missing"), set("access-key", "nobody")),
        "Bucket missing cannot be used",
        "Check the credentials");
    requireRefusal(
        runner().withPropertyValues(set("bucket", "missing"), set("secret-key", "WRONG-SECRET")),
        "Check the credentials");
    assertThat(output).doesNotContain("WRONG-SECRET");
  }

  @Test
  void saysThatTheServerDoesNotAnswer() {
    String endpoint = "http://127.0.0.1:" + Ports.reserve();
    requireRefusal(
        runner().withPropertyValues(set("bucket", "any"), set("endpoint", endpoint)),
        endpoint + " did not answer within 0 s");
  }

  @Test
  void waitsForAServerThatComesLater(CapturedOutput output) throws Exception {
    try (FaultProxy proxy = FaultProxy.start(server.port())) {
      // More than the client's own attempts.
      proxy.plan(6, request -> true, new FaultProxy.Fault.Refuse(503, "ServiceUnavailable"));
      runner()
          .withPropertyValues(
              set("endpoint", proxy.endpoint().toString()),
              set("bucket", "later"),
              set("create-bucket", "true"),
              set("start-timeout", "60s"))
          .run(context -> assertThat(context).hasNotFailed());
    }
    assertThat(output).contains("Waiting up to 60 s for S3").contains("Created bucket later");
  }

  @Test
  void refusesAnAddressThatIsNone() {
    for (String wrong : new String[] {"localhost:9000", "ftp://host", "http://", "no such"}) {
      requireRefusal(
          runner().withPropertyValues(set("bucket", "any"), set("endpoint", wrong)),
          "is not the address of an S3 server");
    }
  }

  /** The SDK refuses to ask for it, and would end the start with a stack trace. */
  @ParameterizedTest
  @ValueSource(strings = {"ab", "UPPER", "under_score", "a b"})
  void refusesANameThatNoBucketCanHave(String wrong) {
    requireRefusal(
        runner().withPropertyValues(set("bucket", wrong)), "There is no bucket \"" + wrong + '"');
    requireRefusal(
        runner().withPropertyValues(set("bucket", wrong), set("create-bucket", "true")),
        "artifact-server.storage.s3.bucket cannot be \"" + wrong + '"');
  }

  @Test
  void aPrefixBelongsToOneInstallation() {
    UUID first = UUID.randomUUID();
    UUID second = UUID.randomUUID();
    ApplicationContextRunner shared =
        runner()
            .withPropertyValues(
                set("bucket", "shared"), set("create-bucket", "true"), set("prefix", "a/b"));
    shared.run(context -> {
      S3BlobStore store = context.getBean(S3BlobStore.class);
      store.bind(first);
      store.bind(first);
      assertThat(store.list()).isEmpty();
    });
    shared.run(context -> {
      assertThatExceptionOfType(SetupException.class)
          .isThrownBy(() -> context.getBean(S3BlobStore.class).bind(second))
          .withMessageContaining("\"a/b/\" of bucket shared")
          .withMessageContaining(first.toString())
          .withMessageContaining(second.toString())
          .withMessageContaining("artifact-server.storage.s3.prefix");
      context.getBean(S3BlobStore.class).bind(first);
    });
    shared
        .withPropertyValues(set("prefix", "a"))
        .run(context -> context.getBean(S3BlobStore.class).bind(second));
  }

  @Test
  void hasDefaults() {
    assertThat(bind(Map.of()))
        .isEqualTo(
            new S3Properties(
                "",
                "us-east-1",
                "",
                "",
                "",
                "",
                false,
                false,
                DataSize.ofMegabytes(1),
                16,
                DataSize.ofMegabytes(8),
                "",
                "",
                "",
                true,
                256,
                Duration.ofSeconds(5),
                Duration.ofSeconds(10),
                Duration.ofSeconds(30),
                4,
                Duration.ofMinutes(15),
                ""));
  }

  @Test
  void readsEveryName() {
    Map<String, String> values =
        Map.ofEntries(
            Map.entry("endpoint", "https://s3"),
            Map.entry("region", "eu-central-1"),
            Map.entry("bucket", "b"),
            Map.entry("prefix", "p"),
            Map.entry("access-key", "a"),
            Map.entry("secret-key", "s"),
            Map.entry("path-style", "true"),
            Map.entry("create-bucket", "true"),
            Map.entry("chunk-size", "2MB"),
            Map.entry("window", "3"),
            Map.entry("part-size", "6MB"),
            Map.entry("storage-class", "STANDARD_IA"),
            Map.entry("server-side-encryption", "aws:kms"),
            Map.entry("kms-key-id", "k"),
            Map.entry("checksums", "false"),
            Map.entry("max-connections", "7"),
            Map.entry("connect-timeout", "8s"),
            Map.entry("read-timeout", "9s"),
            Map.entry("start-timeout", "10s"),
            Map.entry("max-attempts", "11"),
            Map.entry("redirect-validity", "12m"),
            Map.entry("public-endpoint", "https://public"));
    assertThat(values).hasSize(S3Properties.class.getRecordComponents().length);
    assertThat(bind(values))
        .isEqualTo(
            new S3Properties(
                "https://s3",
                "eu-central-1",
                "b",
                "p",
                "a",
                "s",
                true,
                true,
                DataSize.ofMegabytes(2),
                3,
                DataSize.ofMegabytes(6),
                "STANDARD_IA",
                "aws:kms",
                "k",
                false,
                7,
                Duration.ofSeconds(8),
                Duration.ofSeconds(9),
                Duration.ofSeconds(10),
                11,
                Duration.ofMinutes(12),
                "https://public"));
    assertThat(bind(Map.of("access-key", "NAME", "secret-key", "SECRET")).toString())
        .doesNotContain("SECRET")
        .doesNotContain("NAME");
  }

  @Test
  void refusesWhatCannotBe() {
    for (Map<String, String> wrong :
        List.of(
            Map.of("chunk-size", "1KB"),
            Map.of("chunk-size", "65MB"),
            Map.of("window", "0"),
            Map.of("part-size", "4MB"),
            Map.of("max-connections", "0"),
            Map.of("max-attempts", "0"),
            Map.of("connect-timeout", "0s"),
            Map.of("read-timeout", "0s"),
            Map.of("start-timeout", "-1s"),
            Map.of("redirect-validity", "8d"),
            Map.of("access-key", "a"),
            Map.of("secret-key", "s"),
            Map.of("prefix", "/a"))) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> {
            try {
              bind(wrong);
            } catch (RuntimeException e) {
              throw (RuntimeException) rootCause(e);
            }
          })
          .withMessageContaining(wrong.keySet().iterator().next());
    }
  }

  private static void requireRefusal(ApplicationContextRunner runner, String... parts) {
    runner.run(context -> {
      Throwable failure = Objects.requireNonNull(context.getStartupFailure());
      FailureAnalysis analysis =
          Objects.requireNonNull(new SetupFailureAnalyzer().analyze(failure), failure::toString);
      assertThat(analysis.getDescription())
          .contains(parts)
          .doesNotContain(S3ProxyServer.SECRET_KEY);
    });
  }

  private static Throwable rootCause(Throwable thrown) {
    return thrown.getCause() == null ? thrown : rootCause(thrown.getCause());
  }

  private static String set(String name, String value) {
    return S3Properties.PREFIX + '.' + name + '=' + value;
  }

  private static S3Properties bind(Map<String, String> values) {
    Map<String, String> named = new HashMap<>();
    values.forEach((name, value) -> named.put(S3Properties.PREFIX + '.' + name, value));
    return new Binder(new MapConfigurationPropertySource(named))
        .bindOrCreate(S3Properties.PREFIX, S3Properties.class);
  }
}
