package io.artifactserver.rest.delivery;

import io.artifactserver.core.access.AccessToken;
import io.artifactserver.core.access.AccessTokenStore;
import io.artifactserver.core.access.TokenDigest;
import io.artifactserver.core.blob.BlobStores;
import io.artifactserver.core.blob.InMemoryBlobStore;
import io.artifactserver.core.catalog.InMemoryArtifactCatalog;
import io.artifactserver.core.catalog.Labels;
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
import io.artifactserver.core.release.ChannelBook;
import io.artifactserver.core.release.InMemoryChannelStore;
import io.artifactserver.core.release.StageWatch;
import io.artifactserver.rest.access.Authenticator;
import io.artifactserver.rest.access.TokenUses;
import io.artifactserver.rest.access.WrongSecrets;
import io.artifactserver.rest.access.link.LinkProperties;
import io.artifactserver.rest.access.link.Links;
import io.artifactserver.rest.api.limit.PaceThreads;
import io.artifactserver.rest.api.progress.ProgressProperties;
import io.artifactserver.rest.api.progress.RunningDownloads;
import io.artifactserver.rest.console.ConsoleAssets;
import io.artifactserver.rest.delivery.address.Addresses;
import io.artifactserver.rest.delivery.address.HawkbitProperties;
import io.artifactserver.rest.delivery.answer.ResponseEmitter;
import io.artifactserver.rest.delivery.body.WaitingThreads;
import io.artifactserver.rest.delivery.pace.DownloadClasses;
import io.artifactserver.rest.delivery.pace.Permissions;
import io.artifactserver.rest.delivery.pace.Throttles;
import io.artifactserver.rest.delivery.repeat.RepeatedDownloads;
import io.artifactserver.rest.delivery.report.Deliveries;
import io.artifactserver.rest.delivery.resolve.DerivedAnswers;
import io.artifactserver.rest.delivery.resolve.GrantedDownloads;
import io.artifactserver.rest.delivery.resolve.RequestCredentials;
import io.artifactserver.rest.delivery.resolve.Resolver;
import io.artifactserver.rest.delivery.resolve.StaticFiles;
import io.artifactserver.rest.front.Lookups;
import io.artifactserver.rest.front.ProblemWriter;
import io.artifactserver.rest.hawkbit.FakeHawkbit;
import io.artifactserver.rest.hawkbit.Hawkbit;
import io.artifactserver.rest.hawkbit.HawkbitGrantProperties;
import io.artifactserver.rest.hawkbit.MemoryFiles;
import io.artifactserver.rest.poison.PoisonedPool;
import io.artifactserver.rest.server.guard.ConnectionProperties;
import io.artifactserver.rest.server.guard.Connections;
import io.artifactserver.rest.server.guard.UnnamedProxies;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Predicate;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.util.unit.DataSize;
import tools.jackson.databind.json.JsonMapper;

/** A server that asks a stand-in for hawkBit, and one device that has an artifact. */
abstract class GrantedDownloadFixture {
  static final byte[] CONTENT = bytes(100_000);
  static final String SHA_1 = digest(DigestAlgorithm.SHA_1).hex();
  static final String TOKEN = "TargetToken secret-of-the-device";
  static final String FILE = "/DEFAULT/controller/v1/device/softwaremodules/7/artifacts/fw.img";

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final MeterRegistry registry = new SimpleMeterRegistry();
  final MemoryFiles files = new MemoryFiles();
  private final Lookups lookups = new Lookups("lookup-", 1, 10, 10, Duration.ofMillis(2));
  private final Connections connections =
      new Connections(unlimited(), new UnnamedProxies(_ -> {}), registry);
  private final Server server = new Server(null, null, new PoisonedPool());
  private final ServerConnector connector = new ServerConnector(server);
  final HttpClient client = HttpClient.newHttpClient();
  FakeHawkbit fake;

  @TempDir private Path dataFolder;

  Hawkbit hawkbit;

  @BeforeEach
  void begin() throws Exception {
    fake = new FakeHawkbit();
    hawkbit = hawkbit(Duration.ofMinutes(2), 1_000_000);
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

  HttpResponse<byte[]> get(String path, String token, String... fields) throws Exception {
    return client.send(
        request("GET", path, token, fields), HttpResponse.BodyHandlers.ofByteArray());
  }

  HttpResponse<byte[]> send(String method, String path, String token) throws Exception {
    return client.send(request(method, path, token), HttpResponse.BodyHandlers.ofByteArray());
  }

  HttpRequest request(String method, String path, String token, String... fields) {
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

  Hawkbit hawkbit(Duration timeout, int questionsPerSecond) {
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

  void start() throws Exception {
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
    ChannelBook channels = InMemoryChannelStore.book(catalog);
    StageWatch stages = new StageWatch(System::nanoTime);
    PollProperties polls = new PollProperties(Duration.ofMinutes(5), 2000, "id", "release");
    ProgressProperties progress =
        new ProgressProperties(true, "", 100, 10, 100, 100, Duration.ofDays(1));
    Resolver resolver =
        new Resolver(
            catalog,
            channels,
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
    Deliveries deliveries =
        new Deliveries(
            progress,
            new ProgressBook(
                new NoProgress(),
                InstantSource.system(),
                new ProgressBook.Bounds(100, 10, 100, 100),
                _ -> {}),
            authenticator,
            connections,
            lookups,
            stages,
            Optional.empty());
    Followers followers = new Followers(channels, connections, progress, polls);
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
            deliveries,
            throttles,
            credentials,
            new PollAnswers(polls, stages, deliveries, InstantSource.system(), registry),
            problems,
            new DownloadPlans(
                InstantSource.system(),
                new DownloadProperties(false, false, Duration.ofMinutes(1))));
    Downloads downloads = new Downloads(resolver, answers, problems, lookups, connections);
    server.setHandler(
        new ArtifactDownloadHandler(
            new Addresses(new HawkbitProperties(Map.of(), "{fileName}"), true),
            credentials,
            followers,
            downloads,
            answers,
            new DeviceReports(credentials, followers, downloads, problems, connections),
            new StaticFiles(new ConsoleAssets(), InstantSource.system()),
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

  static Digest digest(DigestAlgorithm algorithm) {
    return Digest.of(algorithm, algorithm.newMessageDigest().digest(CONTENT));
  }

  static byte[] bytes(int length) {
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
    public boolean label(String id, Labels labels) {
      throw new AssertionError("Nobody labels " + id);
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

  /** A grant of hawkBit belongs to no repository, so nothing is taken down. */
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
