package io.artifactserver.rest.app;

import io.artifactserver.core.access.AccessTokenStore;
import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.BlobStores;
import io.artifactserver.core.blob.DataKeyStore;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.BlobRegister;
import io.artifactserver.core.encryption.RepositoryEncryption;
import io.artifactserver.core.ingest.ArtifactIngest;
import io.artifactserver.core.ingest.Quota;
import io.artifactserver.core.retire.ArtifactRetirement;
import io.artifactserver.core.retire.BlobSweeper;
import io.artifactserver.core.retire.SteadyClock;
import io.artifactserver.rest.auth.Authenticator;
import io.artifactserver.rest.auth.OperatorTokenFile;
import io.artifactserver.rest.upload.UploadProperties;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;

/** Wires the core's use cases to whatever adapters are present. */
@Configuration(proxyBeanMethods = false)
@EnableScheduling
public class UseCaseConfiguration {
  @Bean
  @ConditionalOnMissingBean
  InstantSource clock() {
    return InstantSource.system();
  }

  /** As many threads as there are processors: digests wait for nothing else. */
  @Bean(destroyMethod = "shutdown")
  ExecutorService digests() {
    return Executors.newFixedThreadPool(
        Runtime.getRuntime().availableProcessors(),
        Thread.ofPlatform().daemon().name("digest-", 0).factory());
  }

  @Bean
  Quota quota(UploadProperties properties, BlobRegister register) {
    return new Quota(
        properties.maxArtifactSize().toBytes(),
        properties.maxTotalSize().toBytes(),
        register.storedBytes());
  }

  @Bean
  ArtifactIngest artifactIngest(
      ArtifactCatalog catalog, BlobStores stores, Quota quota, ExecutorService digests) {
    return new ArtifactIngest(catalog, stores, quota, digests);
  }

  @Bean
  ArtifactRetirement artifactRetirement(
      ArtifactCatalog catalog,
      BlobRegister register,
      BlobStores stores,
      Quota quota,
      RetireProperties properties,
      InstantSource clock) {
    return new ArtifactRetirement(
        catalog, register, stores, quota, properties.gracePeriod(), steady(clock));
  }

  @Bean
  BlobSweeper blobSweeper(
      BlobRegister register,
      BlobStore store,
      DataKeyStore dataKeys,
      RetireProperties properties,
      InstantSource clock) {
    return new BlobSweeper(register, store, dataKeys, properties.orphanAge(), steady(clock));
  }

  private static SteadyClock steady(InstantSource clock) {
    return new SteadyClock(clock, System::nanoTime);
  }

  @Bean
  RepositoryEncryption repositoryEncryption(
      ArtifactCatalog catalog, BlobRegister register, BlobStores stores, Quota quota) {
    return new RepositoryEncryption(catalog, register, stores, quota);
  }

  @Bean
  Authenticator authenticator(AccessTokenStore tokens) {
    return new Authenticator(tokens);
  }

  /** In place before the server listens, so that whoever sees it healthy finds the token. */
  // A String, not a Path: Spring would first look for a resource of that name on the class path.
  @Bean
  OperatorTokenFile operatorTokenFile(
      @Value("${artifact-server.data-dir}") String dataFolder,
      AccessTokenStore tokens,
      InstantSource clock)
      throws IOException {
    OperatorTokenFile file = new OperatorTokenFile(Path.of(dataFolder), tokens, clock);
    file.ensure();
    return file;
  }
}
