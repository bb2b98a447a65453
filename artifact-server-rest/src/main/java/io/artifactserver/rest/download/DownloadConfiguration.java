package io.artifactserver.rest.download;

import io.artifactserver.core.blob.BlobStores;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.rest.auth.Authenticator;
import io.artifactserver.rest.connection.Connections;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.InstantSource;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
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

  private static final long OPENING_IDLE_SECONDS = 30;

  @Bean(destroyMethod = "shutdownNow")
  ExecutorService coldPages() {
    return Executors.newFixedThreadPool(
        COLD_PAGE_THREADS, Thread.ofPlatform().daemon().name("cold-pages-", 0).factory());
  }

  /** Apart from the cold pages, or a file in the page cache would queue behind a slow disk. */
  @Bean(destroyMethod = "shutdownNow")
  ExecutorService openings() {
    ThreadPoolExecutor openings =
        new ThreadPoolExecutor(
            OPENING_THREADS,
            OPENING_THREADS,
            OPENING_IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            Thread.ofPlatform().daemon().name("opening-", 0).factory());
    openings.allowCoreThreadTimeOut(true);
    return openings;
  }

  @Bean(destroyMethod = "shutdownNow")
  ExecutorService lookups() {
    return Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("lookup-", 0).factory());
  }

  @Bean
  ReadThreads readThreads() {
    return new ReadThreads();
  }

  @Bean
  ProblemErrorHandler problemErrorHandler(JsonMapper mapper) {
    return new ProblemErrorHandler(new ProblemWriter(mapper));
  }

  @Bean
  ArtifactDownloadHandler artifactDownloadHandler(
      ArtifactCatalog catalog,
      Authenticator authenticator,
      BlobStores stores,
      JsonMapper mapper,
      TransferObserver observer,
      ExecutorService openings,
      ExecutorService coldPages,
      ExecutorService lookups,
      ReadThreads readThreads,
      InstantSource clock,
      HawkbitProperties hawkbit,
      Connections connections,
      MeterRegistry registry) {
    ProblemWriter problems = new ProblemWriter(mapper);
    Resolver resolver = new Resolver(catalog, authenticator);
    return new ArtifactDownloadHandler(
        new Addresses(hawkbit),
        resolver,
        new ResponseEmitter(
            stores, problems, observer, connections::pace, openings, coldPages, readThreads),
        new RepeatedRanges(resolver, stores, observer, connections, registry),
        problems,
        lookups,
        clock,
        connections);
  }
}
