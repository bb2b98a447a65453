package io.artifactserver.rest.delivery;

import io.artifactserver.core.blob.BlobStores;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.derive.DerivationRules;
import io.artifactserver.core.derive.DerivedRegister;
import io.artifactserver.core.limit.LimitBook;
import io.artifactserver.core.progress.ProgressBook;
import io.artifactserver.rest.access.Authenticator;
import io.artifactserver.rest.access.OpenPaths;
import io.artifactserver.rest.server.guard.Connections;
import io.artifactserver.rest.delivery.body.ReadThreads;
import io.artifactserver.rest.delivery.body.TransferObserver;
import io.artifactserver.rest.delivery.body.WaitingThreads;
import io.artifactserver.rest.hawkbit.Hawkbit;
import io.artifactserver.rest.hawkbit.Reports;
import io.artifactserver.rest.api.limit.PaceThreads;
import io.artifactserver.rest.access.link.Links;
import io.artifactserver.rest.api.progress.ProgressProperties;
import io.artifactserver.rest.api.progress.RunningDownloads;
import io.artifactserver.rest.api.artifact.UploadProperties;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.endpoint.ApiVersion;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.web.WebServerNamespace;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointWebExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.json.JsonMapper;

/** Wires the data plane. */
@Configuration(proxyBeanMethods = false)
public class DownloadConfiguration {
  /** Enough to keep a disk's queue full; each holds one page fault. */
  private static final int COLD_PAGE_THREADS = 8;

  /** Started when they are needed. */
  private static final int OPENING_THREADS = 16;

  private static final long IDLE_SECONDS = 30;

  /** The database has ten connections, and others need some of them. */
  private static final int LOOKUPS = 6;

  /** A second's work. */
  private static final int WAITING_LOOKUPS = 1024;

  private static final int LOOKUPS_OF_A_CLIENT = 512;

  /** A client's misses come in at 500 a second: a fifth of a core, database included. */
  private static final Duration PER_MISS = Duration.ofMillis(2);

  private static final int CALLER_THREADS = 16;
  private static final int WAITING_CALLERS = 256;

  /** A caller has a quarter of what there is for callers, an admin half of what is for admins. */
  private static final int CALLERS_SHARE = 4;

  private static final int ADMINS_SHARE = 2;

  /**
   * Each waits for the identity provider, 5 s at most. An address has one, and 16 places to wait.
   */
  private static final int SIGN_IN_THREADS = 4;

  private static final int WAITING_SIGN_INS = 64;
  private static final int SIGN_INS_SHARE = 4;

  private static final int STRANGER_THREADS = 4;
  private static final int WAITING_STRANGERS = 1024;
  private static final int REQUESTS_OF_A_STRANGER = 512;

  /** One for each of its paths. */
  private static final int HEALTH_THREADS = 3;

  @Bean(destroyMethod = "shutdownNow")
  ExecutorService coldPages() {
    return Executors.newFixedThreadPool(
        COLD_PAGE_THREADS, Thread.ofPlatform().daemon().name("cold-pages-", 0).factory());
  }

  /** Threads that end when there is nothing to do. */
  private static ExecutorService bounded(String name, int threads) {
    ThreadPoolExecutor executor =
        new ThreadPoolExecutor(
            threads,
            threads,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            Thread.ofPlatform().daemon().name(name, 0).factory());
    executor.allowCoreThreadTimeOut(true);
    return executor;
  }

  /** Apart from the cold pages, or a file in the page cache would queue behind a slow disk. */
  @Bean(destroyMethod = "shutdownNow")
  ExecutorService openings() {
    return bounded("opening-", OPENING_THREADS);
  }

  @Bean
  Lookups lookups() {
    return new Lookups("lookup-", LOOKUPS, WAITING_LOOKUPS, LOOKUPS_OF_A_CLIENT, PER_MISS);
  }

  @Bean
  CallerThreads adminRequests() {
    return new CallerThreads("admin-", CALLER_THREADS, WAITING_CALLERS, ADMINS_SHARE);
  }

  @Bean
  CallerThreads callerRequests() {
    return new CallerThreads("control-", CALLER_THREADS, WAITING_CALLERS, CALLERS_SHARE);
  }

  @Bean
  UploadThreads uploadRequests(UploadProperties properties) {
    return new UploadThreads(properties.maxConcurrent());
  }

  @Bean
  CallerThreads signInRequests() {
    return new CallerThreads("sign-in-", SIGN_IN_THREADS, WAITING_SIGN_INS, SIGN_INS_SHARE);
  }

  @Bean
  Lookups strangerRequests() {
    return new Lookups(
        "stranger-", STRANGER_THREADS, WAITING_STRANGERS, REQUESTS_OF_A_STRANGER, PER_MISS);
  }

  @Bean(destroyMethod = "shutdownNow")
  ExecutorService healthChecks() {
    return bounded("health-", HEALTH_THREADS);
  }

  @Bean
  ReadThreads readThreads() {
    return new ReadThreads();
  }

  @Bean
  ProblemErrorHandler problemErrorHandler(JsonMapper mapper) {
    return new ProblemErrorHandler(new ProblemWriter(mapper));
  }

  /**
   * @param openPaths whether everybody may ask for a path
   * @param health is there when the server has started
   */
  @Bean
  ControlPlane controlPlane(
      Authenticator authenticator,
      OpenPaths openPaths,
      JsonMapper mapper,
      CallerThreads adminRequests,
      CallerThreads callerRequests,
      UploadThreads uploadRequests,
      CallerThreads signInRequests,
      Lookups strangerRequests,
      ObjectProvider<HealthEndpointWebExtension> health,
      ExecutorService healthChecks,
      Connections connections) {
    return new ControlPlane(
        authenticator,
        openPaths,
        new ProblemWriter(mapper),
        adminRequests,
        callerRequests,
        uploadRequests,
        signInRequests,
        strangerRequests,
        new HealthAnswers(
            path ->
                health
                    .getObject()
                    .health(
                        ApiVersion.V3,
                        WebServerNamespace.SERVER,
                        SecurityContext.NONE,
                        false,
                        path),
            mapper,
            healthChecks,
            System::nanoTime),
        connections);
  }

  @Bean
  ArtifactDownloadHandler artifactDownloadHandler(
      ArtifactCatalog catalog,
      Authenticator authenticator,
      BlobStores stores,
      DerivationRules rules,
      DerivedRegister derived,
      JsonMapper mapper,
      TransferObserver observer,
      ExecutorService openings,
      ExecutorService coldPages,
      Lookups lookups,
      ReadThreads readThreads,
      InstantSource clock,
      DownloadProperties properties,
      HawkbitProperties hawkbit,
      ObjectProvider<Hawkbit> grants,
      ObjectProvider<Reports> reports,
      Connections connections,
      ProgressProperties progress,
      ProgressBook progressBook,
      RunningDownloads running,
      LimitBook limits,
      PaceThreads paceThreads,
      MeterRegistry registry,
      Links links)
      throws IOException {
    ProblemWriter problems = new ProblemWriter(mapper);
    Optional<GrantedDownloads> granted =
        Optional.ofNullable(grants.getIfAvailable()).map(GrantedDownloads::new);
    Resolver resolver =
        new Resolver(
            catalog,
            authenticator,
            new DerivedAnswers(rules, catalog, derived, stores),
            granted,
            clock);
    Throttles throttles =
        new Throttles(
            limits,
            catalog,
            paceThreads,
            connections,
            authenticator,
            new DownloadClasses(authenticator, connections, lookups),
            new Permissions(
                catalog, authenticator, connections, lookups, properties.revocationCheck()));
    return new ArtifactDownloadHandler(
        new Addresses(hawkbit, granted.isPresent()),
        resolver,
        new ResponseEmitter(
            stores,
            problems,
            observer,
            running,
            connections::pace,
            new WaitingThreads(openings, coldPages, readThreads),
            properties.redirectWithCredentials()),
        new RepeatedDownloads(resolver, stores, observer, connections, throttles, registry),
        new Deliveries(
            progress,
            progressBook,
            authenticator,
            connections,
            lookups,
            Optional.ofNullable(reports.getIfAvailable())),
        throttles,
        problems,
        lookups,
        clock,
        connections,
        new ApiPage(clock),
        links,
        properties.headRanges());
  }
}
