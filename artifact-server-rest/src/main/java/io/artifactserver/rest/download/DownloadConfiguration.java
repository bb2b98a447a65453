package io.artifactserver.rest.download;

import io.artifactserver.core.blob.BlobStores;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.rest.auth.Authenticator;
import java.time.InstantSource;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.json.JsonMapper;

/** Wires the data plane. */
@Configuration(proxyBeanMethods = false)
public class DownloadConfiguration {
  /** Enough to keep a disk's queue full; each holds one page fault. */
  private static final int COLD_PAGE_THREADS = 8;

  @Bean(destroyMethod = "shutdownNow")
  ExecutorService coldPages() {
    return Executors.newFixedThreadPool(
        COLD_PAGE_THREADS, Thread.ofPlatform().daemon().name("cold-pages-", 0).factory());
  }

  @Bean(destroyMethod = "shutdownNow")
  ExecutorService lookups() {
    return Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("lookup-", 0).factory());
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
      ExecutorService coldPages,
      ExecutorService lookups,
      InstantSource clock,
      HawkbitProperties hawkbit) {
    ProblemWriter problems = new ProblemWriter(mapper);
    return new ArtifactDownloadHandler(
        new Addresses(hawkbit),
        new Resolver(catalog, authenticator),
        new ResponseEmitter(stores, problems, observer, coldPages, lookups),
        problems,
        lookups,
        clock);
  }
}
