package io.artifactserver.rest.delivery;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.access.AccessToken;
import io.artifactserver.core.access.AccessTokenStore;
import io.artifactserver.core.access.TokenDigest;
import io.artifactserver.core.blob.BlobStores;
import io.artifactserver.core.blob.InMemoryBlobStore;
import io.artifactserver.core.catalog.InMemoryArtifactCatalog;
import io.artifactserver.core.derive.DerivationRules;
import io.artifactserver.core.derive.InMemoryDerivedRegister;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.limit.InMemoryLimitStore;
import io.artifactserver.core.limit.LimitBook;
import io.artifactserver.core.limit.QueueBounds;
import io.artifactserver.core.limit.RepositoryLimits;
import io.artifactserver.core.progress.DeviceProgress;
import io.artifactserver.core.progress.ProgressBook;
import io.artifactserver.core.progress.ProgressStore;
import io.artifactserver.core.progress.ProgressSubject;
import io.artifactserver.rest.access.Authenticator;
import io.artifactserver.rest.access.TokenUses;
import io.artifactserver.rest.access.WrongSecrets;
import io.artifactserver.rest.access.link.LinkProperties;
import io.artifactserver.rest.access.link.Links;
import io.artifactserver.rest.api.limit.PaceThreads;
import io.artifactserver.rest.api.progress.ProgressProperties;
import io.artifactserver.rest.api.progress.RunningDownloads;
import io.artifactserver.rest.delivery.address.Addresses;
import io.artifactserver.rest.delivery.address.HawkbitProperties;
import io.artifactserver.rest.delivery.answer.ResponseEmitter;
import io.artifactserver.rest.delivery.body.WaitingThreads;
import io.artifactserver.rest.delivery.pace.DownloadClasses;
import io.artifactserver.rest.delivery.pace.Permissions;
import io.artifactserver.rest.delivery.pace.Throttles;
import io.artifactserver.rest.delivery.repeat.RepeatedDownloads;
import io.artifactserver.rest.delivery.report.Deliveries;
import io.artifactserver.rest.delivery.resolve.ApiPage;
import io.artifactserver.rest.delivery.resolve.DerivedAnswers;
import io.artifactserver.rest.delivery.resolve.GrantedDownloads;
import io.artifactserver.rest.delivery.resolve.RequestCredentials;
import io.artifactserver.rest.delivery.resolve.Resolver;
import io.artifactserver.rest.front.Lookups;
import io.artifactserver.rest.front.ProblemWriter;
import io.artifactserver.rest.hawkbit.FakeHawkbit;
import io.artifactserver.rest.hawkbit.Hawkbit;
import io.artifactserver.rest.hawkbit.HawkbitGrantProperties;
import io.artifactserver.rest.hawkbit.MemoryFiles;
import io.artifactserver.rest.poison.PoisonedPool;
import io.artifactserver.rest.server.guard.ConnectionProperties;
import io.artifactserver.rest.server.guard.Connections;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.util.unit.DataSize;
import tools.jackson.databind.json.JsonMapper;

/** Devices of a hawkBit that is asked, over HTTP, with a stand-in for hawkBit. */
class GrantedDownloadTest {
  private static final byte[] CONTENT = bytes(100_000);
  private static final String SHA_1 = digest(DigestAlgorithm.SHA_1).hex();
  private static final String TOKEN = "TargetToken secret-of-the-device";
  private static final String FILE =
      "/DEFAULT/controller/v1/device/softwaremodules/7/artifacts/fw.img";

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final MeterRegistry registry = new SimpleMeterRegistry();
  private final MemoryFiles files = new MemoryFiles();
  private final Lookups lookups = new Lookups("lookup-", 1, 10, 10, Duration.ofMillis(2));
  private final Connections connections = new Connections(unlimited(), registry);
  private final Server server = new Server(null, null, new PoisonedPool());
  private final ServerConnector connector = new ServerConnector(server);
  private final HttpClient client = HttpClient.newHttpClient();
  private final FakeHawkbit fake;

  @TempDir private Path dataFolder;

  private Hawkbit hawkbit;

  GrantedDownloadTest() throws Exception {
    this.fake = new FakeHawkbit();
    this.hawkbit = hawkbit(Duration.ofMinutes(2), 1_000_000);
  }

  @BeforeEach
  void begin() throws Exception {
    fake.device("device", "secret-of-the-device");
    fake.assign("device", "7");
    fake.artifact("7", "fw.img", CONTENT);
    files.add(SHA_1, CONTENT);
  }

  @AfterEach
  void stop() throws Exception {
    client.close();
    server.stop();
    hawkbit.close();
    fake.close();
    lookups.close();
    connections.close();
    threads.close();
  }

  @Test
  void servesWhatHawkbitGrants() throws Exception {
    start();
    HttpResponse<byte[]> whole = get(FILE, TOKEN);
    assertThat(whole.statusCode()).isEqualTo(200);
    assertThat(whole.body()).isEqualTo(CONTENT);
    String tag = '"' + digest(DigestAlgorithm.SHA_256).hex() + '"';
    assertThat(whole.headers().firstValue("ETag")).contains(tag);
    assertThat(whole.headers().firstValue("Cache-Control")).contains("private, no-cache");
    HttpResponse<byte[]> range = get(FILE, TOKEN, "Range", "bytes=5-9", "If-Range", tag);
    assertThat(range.statusCode()).isEqualTo(206);
    assertThat(range.body()).isEqualTo(Arrays.copyOfRange(CONTENT, 5, 10));
    HttpResponse<byte[]> head = send("HEAD", FILE, TOKEN);
    assertThat(head.statusCode()).isEqualTo(200);
    assertThat(head.headers().firstValueAsLong("Content-Length")).hasValue(CONTENT.length);
    // hawkBit's own tag, from a download that it began: never two halves of two things.
    HttpResponse<byte[]> switched =
        get(FILE, TOKEN, "Range", "bytes=5-9", "If-Range", '"' + SHA_1 + '"');
    assertThat(switched.statusCode()).isEqualTo(200);
    assertThat(switched.body()).isEqualTo(CONTENT);
    assertThat(fake.questions("device")).isEqualTo(1);
    // To tell whether it is encrypted.
    assertThat(fake.artifactBytes()).isEqualTo(64);
  }

  @Test
  void namesAndTheirMd5FilesAreReadAsHawkbitWritesThem() throws Exception {
    fake.artifact("7", "my+fw 1.img", CONTENT);
    start();
    for (String name : new String[] {"my%2Bfw+1.img", "my%2Bfw%201.img"}) {
      assertThat(get(FILE.replace("fw.img", name), TOKEN).body()).isEqualTo(CONTENT);
    }
    HttpResponse<byte[]> md5 = get(FILE.replace("fw.img", "my%2Bfw+1.img.MD5SUM"), TOKEN);
    assertThat(new String(md5.body(), StandardCharsets.UTF_8))
        .isEqualTo(digest(DigestAlgorithm.MD5).hex() + "  my+fw 1.img\n");
    assertThat(get(FILE + ".MD5SUM", "TargetToken other").statusCode()).isEqualTo(401);
    assertThat(get(FILE + "x.MD5SUM", TOKEN).statusCode()).isEqualTo(404);
    // As a device may spell its tenant.
    assertThat(get(FILE.replace("DEFAULT", "default"), TOKEN).body()).isEqualTo(CONTENT);
  }

  @Test
  void servesNobodyElse() throws Exception {
    fake.device("other", "another-secret");
    fake.gatewayToken("of-the-gateway");
    start();
    assertThat(get(FILE, "GatewayToken of-the-gateway").statusCode()).isEqualTo(200);
    assertThat(get(FILE, "TargetToken another-secret").statusCode()).isEqualTo(401);
    assertThat(get(FILE, "TargetToken ").statusCode()).isEqualTo(401);
    assertThat(get(FILE.replace("/device/", "/other/"), TOKEN).statusCode()).isEqualTo(401);
    assertThat(get(FILE.replace("/device/", "/other/"), "TargetToken another-secret").statusCode())
        .isEqualTo(404);
    assertThat(get(FILE.replace("/7/", "/8/"), TOKEN).statusCode()).isEqualTo(404);
    assertThat(get(FILE.replace("fw.img", "fw2.img"), TOKEN).statusCode()).isEqualTo(404);
  }

  @Test
  void strangersAndNonsenseCostNoQuestion() throws Exception {
    start();
    assertThat(send("GET", FILE, "").statusCode()).isEqualTo(401);
    assertThat(get(FILE, "Bearer as_1_2").statusCode()).isEqualTo(401);
    for (String path :
        new String[] {
          FILE.replace("/7/", "/seven/"),
          FILE.replace("/7/", "//"),
          FILE.replace("DEFAULT", "-x"),
          FILE.replace("device", "%2e%2e"),
          FILE.replace("device", "a%0ab"),
        }) {
      assertThat(get(path, TOKEN).statusCode()).as(path).isIn(400, 404);
    }
    assertThat(fake.questions()).isZero();
  }

  @Test
  void hawkbitsFailuresAreNoneOfTheDevices() throws Exception {
    hawkbit.close();
    hawkbit = hawkbit(Duration.ofMillis(500), 1_000_000);
    start();
    // A busy machine, too, may answer after the time-out.
    eventually("it is granted", () -> get(FILE, TOKEN).statusCode() == 200);
    fake.device("new", "new-secret");
    fake.assign("new", "7");
    String elsewhere = FILE.replace("/device/", "/new/");
    for (FakeHawkbit.Fault fault :
        List.of(FakeHawkbit.Fault.ERROR_500, FakeHawkbit.Fault.HTML, FakeHawkbit.Fault.SILENCE)) {
      fake.fault(fault);
      HttpResponse<byte[]> refused = get(elsewhere, "TargetToken new-secret");
      assertThat(refused.statusCode()).as(fault.name()).isEqualTo(503);
      assertThat(refused.headers().firstValue("Retry-After")).isPresent();
      assertThat(get(FILE, TOKEN, "Range", "bytes=0-1").statusCode()).isEqualTo(206);
      fake.fault(FakeHawkbit.Fault.NONE);
    }
    eventually(
        "hawkBit is back", () -> get(elsewhere, "TargetToken new-secret").statusCode() == 200);
  }

  @Test
  void fileThatIsNotThereIsAskedForAgainAndThenMissing() throws Exception {
    files.remove(SHA_1);
    start();
    assertThat(get(FILE, TOKEN).statusCode()).isEqualTo(404);
    assertThat(fake.questions("device")).isEqualTo(2);
    files.add(SHA_1, CONTENT);
    assertThat(get(FILE, TOKEN).statusCode()).isEqualTo(200);
    files.add(SHA_1, Arrays.copyOf(CONTENT, 10));
    files.remove(SHA_1);
    files.add(SHA_1, Arrays.copyOf(CONTENT, 10));
    assertThat(get(FILE, TOKEN).statusCode()).isEqualTo(503);
  }

  @Test
  void ciphertextIsNeverServed() throws Exception {
    byte[] ciphertext = bytes(100_028);
    ciphertext[0]++;
    fake.encryptedArtifact("7", "secret.img", CONTENT, ciphertext);
    DigestAlgorithm sha1 = DigestAlgorithm.SHA_1;
    files.add(Digest.of(sha1, sha1.newMessageDigest().digest(ciphertext)).hex(), ciphertext);
    start();
    HttpResponse<byte[]> refused = get(FILE.replace("fw.img", "secret.img"), TOKEN);
    assertThat(refused.statusCode()).isEqualTo(404);
    assertThat(new String(refused.body(), StandardCharsets.UTF_8)).contains("Encrypted by hawkBit");
    assertThat(get(FILE, TOKEN).statusCode()).isEqualTo(200);
  }

  /** hawkBit allows an address 200 reads a second; here both are larger, so that it takes less. */
  @Test
  void devicesAskOneQuestionEach() throws Exception {
    hawkbit.close();
    hawkbit = hawkbit(Duration.ofMinutes(2), 1800);
    fake.maxPerSecond(2000);
    start();
    int devices = 1_000;
    for (int i = 0; i < devices; i++) {
      fake.device("device-" + i, "secret-" + i);
      fake.assign("device-" + i, "7");
    }
    AtomicInteger served = new AtomicInteger();
    Semaphore places = new Semaphore(256);
    CompletableFuture<?>[] downloads = new CompletableFuture<?>[devices];
    for (int i = 0; i < devices; i++) {
      places.acquire();
      HttpRequest request =
          request(
              "GET",
              FILE.replace("/device/", "/device-" + i + '/'),
              "TargetToken secret-" + i,
              "Range",
              "bytes=0-99");
      downloads[i] =
          client
              .sendAsync(request, HttpResponse.BodyHandlers.ofByteArray())
              .whenComplete((response, _) -> {
                places.release();
                if (response != null && response.statusCode() == 206) {
                  served.incrementAndGet();
                }
              });
    }
    CompletableFuture.allOf(downloads).join();
    assertThat(served).hasValue(devices);
    // What hawkBit's filter refuses does not count.
    assertThat(fake.questions()).isEqualTo(devices);
    assertThat(fake.mostUnderWay()).isLessThanOrEqualTo(32);
    assertThat(fake.artifactBytes()).isEqualTo(64);
  }

  private HttpResponse<byte[]> get(String path, String token, String... fields) throws Exception {
    return client.send(
        request("GET", path, token, fields), HttpResponse.BodyHandlers.ofByteArray());
  }

  private HttpResponse<byte[]> send(String method, String path, String token) throws Exception {
    return client.send(request(method, path, token), HttpResponse.BodyHandlers.ofByteArray());
  }

  private HttpRequest request(String method, String path, String token, String... fields) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + connector.getLocalPort() + path))
            .method(method, HttpRequest.BodyPublishers.noBody());
    if (!token.isEmpty()) {
      request.header("Authorization", token);
    }
    if (fields.length > 0) {
      request.headers(fields);
    }
    return request.build();
  }

  private Hawkbit hawkbit(Duration timeout, int questionsPerSecond) {
    return new Hawkbit(
        new HawkbitGrantProperties(
            fake.url(),
            Duration.ofMinutes(5),
            Duration.ofMinutes(10),
            50_000,
            questionsPerSecond,
            32,
            timeout),
        files,
        JsonMapper.builder().build(),
        registry);
  }

  private void start() throws Exception {
    BlobStores stores = BlobStores.of(new InMemoryBlobStore());
    ProblemWriter problems = new ProblemWriter(JsonMapper.builder().build());
    InMemoryArtifactCatalog catalog = new InMemoryArtifactCatalog();
    InMemoryDerivedRegister register = new InMemoryDerivedRegister(catalog, "any");
    Links links =
        new Links(
            dataFolder,
            new LinkProperties(Duration.ofDays(1), Duration.ZERO, Set.of()),
            InstantSource.system());
    AccessTokenStore tokens = new NoTokens();
    Authenticator authenticator =
        new Authenticator(
            tokens,
            links,
            new TokenUses(tokens, InstantSource.system()),
            new WrongSecrets(System::nanoTime),
            Optional.empty(),
            InstantSource.system());
    Resolver resolver =
        new Resolver(
            catalog,
            authenticator,
            new DerivedAnswers(
                new DerivationRules(List.of(), 1, 1, register), catalog, register, stores),
            Optional.of(new GrantedDownloads(hawkbit)),
            InstantSource.system());
    LimitBook limits =
        new LimitBook(
            new InMemoryLimitStore(),
            RepositoryLimits.NO_LIMIT,
            new QueueBounds(1, 1),
            System::nanoTime,
            (_, _) -> {});
    Throttles throttles =
        new Throttles(
            limits,
            catalog,
            new PaceThreads(),
            connections,
            authenticator,
            new DownloadClasses(authenticator, connections, lookups),
            new Permissions(catalog, authenticator, connections, lookups, Duration.ofMinutes(1)));
    RequestCredentials credentials = new RequestCredentials(links);
    Answers answers =
        new Answers(
            new ResponseEmitter(
                stores,
                problems,
                _ -> {},
                new RunningDownloads(),
                connections::pace,
                new WaitingThreads(threads, threads, threads),
                false),
            new RepeatedDownloads(resolver, stores, _ -> {}, connections, throttles, registry),
            new Deliveries(
                new ProgressProperties(true, "", 100, 10, 100, 100, Duration.ofDays(1)),
                new ProgressBook(
                    new NoProgress(),
                    InstantSource.system(),
                    new ProgressBook.Bounds(100, 10, 100, 100),
                    _ -> {}),
                authenticator,
                connections,
                lookups,
                Optional.empty()),
            throttles,
            credentials,
            problems,
            InstantSource.system(),
            false);
    server.setHandler(
        new ArtifactDownloadHandler(
            new Addresses(new HawkbitProperties(Map.of(), "{fileName}"), true),
            credentials,
            new Downloads(resolver, answers, problems, lookups, connections),
            answers,
            new ApiPage(InstantSource.system()),
            problems));
    connector.setHost("127.0.0.1");
    server.addConnector(connector);
    server.start();
  }

  private static ConnectionProperties unlimited() {
    return new ConnectionProperties(
        20_000,
        0,
        List.of(),
        Duration.ofMinutes(1),
        Duration.ofMinutes(1),
        Duration.ofMinutes(1),
        Duration.ofMinutes(1),
        DataSize.ofBytes(0),
        Duration.ofMinutes(1),
        DataSize.ofMegabytes(80));
  }

  private static Digest digest(DigestAlgorithm algorithm) {
    return Digest.of(algorithm, algorithm.newMessageDigest().digest(CONTENT));
  }

  private static byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    new Random(22).nextBytes(bytes);
    return bytes;
  }

  /** A catalog's tokens are none of hawkBit's. */
  private static final class NoTokens implements AccessTokenStore {
    @Override
    public Optional<AccessToken> find(String id) {
      throw new AssertionError("The database was asked for " + id);
    }

    @Override
    public List<AccessToken> list(Position after, int limit) {
      return List.of();
    }

    @Override
    public List<AccessToken> admins() {
      return List.of();
    }

    @Override
    public List<TokenDigest> digests(String after, int limit) {
      return List.of();
    }

    @Override
    public List<TokenDigest> digestsSince(Duration age) {
      return List.of();
    }

    @Override
    public Map<String, Instant> lastUses(Collection<String> ids) {
      return Map.of();
    }

    @Override
    public void used(Map<String, Instant> uses) {
      throw new AssertionError(uses);
    }

    @Override
    public boolean replace(String id, AccessToken replacement, Instant until) {
      return false;
    }

    @Override
    public void add(AccessToken token) {
      throw new AssertionError(token);
    }

    @Override
    public boolean isRevoked(String id) {
      return false;
    }

    @Override
    public boolean revoke(String id) {
      return false;
    }
  }

  /** What hawkBit grants is no repository's, so nothing is taken down. */
  private static final class NoProgress implements ProgressStore {
    @Override
    public Added add(List<Addition> additions, Predicate<Addition> mayBegin) {
      throw new AssertionError(additions);
    }

    @Override
    public long count() {
      return 0;
    }

    @Override
    public List<DeviceProgress> list(ProgressSubject subject, String after, int limit) {
      return List.of();
    }

    @Override
    public List<DeviceProgress> missing(ProgressSubject subject, String after, int limit) {
      return List.of();
    }

    @Override
    public List<ArtifactProgress> ofDevice(String device, int limit) {
      return List.of();
    }

    @Override
    public Summary summary(ProgressSubject subject, Instant since) {
      throw new AssertionError(subject);
    }

    @Override
    public int deleteUnchangedSince(Instant instant, int limit) {
      return 0;
    }

    @Override
    public int deleteOrphans(int limit) {
      return 0;
    }
  }
}
