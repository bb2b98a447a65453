package io.artifactserver.rest.delivery;

import io.artifactserver.core.blob.BlobStores;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.release.ChannelBook;
import io.artifactserver.core.thread.DaemonThreads;
import io.artifactserver.rest.access.Authenticator;
import io.artifactserver.rest.api.progress.RunningDownloads;
import io.artifactserver.rest.delivery.address.Addresses;
import io.artifactserver.rest.delivery.address.HawkbitProperties;
import io.artifactserver.rest.delivery.answer.ResponseEmitter;
import io.artifactserver.rest.delivery.body.ReadThreads;
import io.artifactserver.rest.delivery.body.TransferObserver;
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
import io.artifactserver.rest.hawkbit.Hawkbit;
import io.artifactserver.rest.server.guard.Connections;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Wires the data plane. */
@Configuration(proxyBeanMethods = false)
@Import({
  ReadThreads.class,
  DerivedAnswers.class,
  DownloadClasses.class,
  Throttles.class,
  RepeatedDownloads.class,
  Deliveries.class,
  RequestCredentials.class,
  Followers.class,
  PollAnswers.class,
  DeviceReports.class,
  DownloadPlans.class,
  Answers.class,
  Downloads.class,
  StaticFiles.class,
  ArtifactDownloadHandler.class
})
public class DownloadConfiguration {
  /** Enough to keep a disk's queue full; each holds one page fault. */
  private static final int COLD_PAGE_THREADS = 8;

  /** Started when they are needed. */
  private static final int OPENING_THREADS = 16;

  /** The database has ten connections, and others need some of them. */
  private static final int LOOKUPS = 6;

  /** A second's work. */
  private static final int WAITING_LOOKUPS = 1024;

  private static final int LOOKUPS_OF_A_CLIENT = 512;

  @Bean(destroyMethod = "shutdownNow")
  ExecutorService coldPages() {
    return Executors.newFixedThreadPool(
        COLD_PAGE_THREADS, Thread.ofPlatform().daemon().name("cold-pages-", 0).factory());
  }

  /** Apart from the cold pages, or a file in the page cache would queue behind a slow disk. */
  @Bean(destroyMethod = "shutdownNow")
  ExecutorService openings() {
    return DaemonThreads.pool("opening-", OPENING_THREADS);
  }

  @Bean
  Lookups lookups() {
    return new Lookups("lookup-", LOOKUPS, WAITING_LOOKUPS, LOOKUPS_OF_A_CLIENT, Lookups.PER_MISS);
  }

  @Bean
  WaitingThreads waitingThreads(
      ExecutorService openings, ExecutorService coldPages, ReadThreads readThreads) {
    return new WaitingThreads(openings, coldPages, readThreads);
  }

  @Bean
  Resolver downloadResolver(
      ArtifactCatalog catalog,
      ChannelBook channels,
      Authenticator authenticator,
      DerivedAnswers derived,
      Optional<Hawkbit> hawkbit,
      InstantSource clock) {
    return new Resolver(
        catalog, channels, authenticator, derived, hawkbit.map(GrantedDownloads::new), clock);
  }

  @Bean
  Permissions permissions(
      ArtifactCatalog catalog,
      Authenticator authenticator,
      Connections connections,
      Lookups lookups,
      DownloadProperties properties) {
    return new Permissions(
        catalog, authenticator, connections, lookups, properties.revocationCheck());
  }

  @Bean
  ResponseEmitter responseEmitter(
      BlobStores stores,
      ProblemWriter problems,
      TransferObserver observer,
      RunningDownloads running,
      Connections connections,
      WaitingThreads threads,
      DownloadProperties properties) {
    return new ResponseEmitter(
        stores,
        problems,
        observer,
        running,
        connections::pace,
        threads,
        properties.redirectWithCredentials());
  }

  @Bean
  Addresses addresses(HawkbitProperties properties, Optional<Hawkbit> hawkbit) {
    return new Addresses(properties, hawkbit.isPresent());
  }
}
