package io.artifactserver.rest.app;

import io.artifactserver.core.access.AccessTokenStore;
import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.BlobStores;
import io.artifactserver.core.blob.DataKeyStore;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.BlobRegister;
import io.artifactserver.core.derive.ArtifactDelta;
import io.artifactserver.core.derive.ArtifactDerivation;
import io.artifactserver.core.derive.DerivationRequests;
import io.artifactserver.core.derive.DerivationRules;
import io.artifactserver.core.derive.DerivedForm;
import io.artifactserver.core.derive.DerivedRegister;
import io.artifactserver.core.digest.SavableDigests;
import io.artifactserver.core.encryption.RepositoryEncryption;
import io.artifactserver.core.ingest.ArtifactIngest;
import io.artifactserver.core.ingest.Quota;
import io.artifactserver.core.limit.QuotaLedger;
import io.artifactserver.core.release.ChannelBook;
import io.artifactserver.core.retention.Retention;
import io.artifactserver.core.retention.RetentionStore;
import io.artifactserver.core.retire.ArtifactRetirement;
import io.artifactserver.core.retire.BlobSweeper;
import io.artifactserver.core.retire.SteadyClock;
import io.artifactserver.core.retire.Undeletion;
import io.artifactserver.core.suspect.SuspectCheck;
import io.artifactserver.core.upload.UnfinishedUploads;
import io.artifactserver.core.upload.UploadBounds;
import io.artifactserver.core.upload.UploadPorts;
import io.artifactserver.core.upload.UploadRows;
import io.artifactserver.rest.access.Authenticator;
import io.artifactserver.rest.access.IssuedTokens;
import io.artifactserver.rest.access.OperatorTokenFile;
import io.artifactserver.rest.access.TokenUses;
import io.artifactserver.rest.access.WrongSecrets;
import io.artifactserver.rest.access.link.LinkProperties;
import io.artifactserver.rest.access.link.Links;
import io.artifactserver.rest.api.artifact.UploadProperties;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.annotation.EnableScheduling;

/**
 * Wires the core's use cases to whatever adapters are present. The imported classes need nothing
 * but other beans.
 */
@Configuration(proxyBeanMethods = false)
@EnableScheduling
@Import({
  ArtifactDelta.class,
  QuotaLedger.class,
  RepositoryEncryption.class,
  TokenUses.class,
  Undeletion.class
})
public class UseCaseConfiguration {
  /** Bytes between two checkpoints of an upload: each waits for the disk and the database. */
  private static final long CHECKPOINT_INTERVAL = 8L << 20;

  /**
   * Least time between two of them where the store is remote: each waits until the parts under way
   * have arrived.
   */
  private static final Duration REMOTE_PAUSE = Duration.ofSeconds(2);

  /** The part of the heap for what the store holds for uploads over several requests. */
  private static final int OPEN_SHARE = 8;

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
      ArtifactCatalog catalog,
      BlobRegister register,
      BlobStores stores,
      Quota quota,
      QuotaLedger repositoryQuotas,
      ExecutorService digests,
      DerivationRequests derivations,
      ChannelBook channels) {
    return new ArtifactIngest(
        catalog, register, stores, quota, repositoryQuotas, digests, derivations, channels);
  }

  /** Reserves the room of what an earlier process has left before the server listens. */
  @Bean(initMethod = "recover")
  UnfinishedUploads unfinishedUploads(
      UploadRows rows,
      ArtifactCatalog catalog,
      BlobStores stores,
      ArtifactIngest ingest,
      SavableDigests savableDigests,
      ExecutorService digests,
      UploadProperties properties,
      InstantSource clock) {
    return new UnfinishedUploads(
        new UploadPorts(rows, catalog, stores, ingest, savableDigests, digests, clock),
        new UploadBounds(
            properties.maxUnfinished(),
            properties.maxUnfinished() / 2,
            maxOpen(stores.plain(), properties),
            properties.expiry(),
            CHECKPOINT_INTERVAL,
            stores.plain().uploadMemory() == 0 ? Duration.ZERO : REMOTE_PAUSE));
  }

  /** An eighth of the heap for what their store holds. */
  private static int maxOpen(BlobStore store, UploadProperties properties) {
    long memory = store.uploadMemory();
    return memory == 0
        ? properties.maxUnfinished()
        : (int) Math.max(2, Runtime.getRuntime().maxMemory() / OPEN_SHARE / memory);
  }

  @Bean
  ArtifactRetirement artifactRetirement(
      ArtifactCatalog catalog,
      BlobRegister register,
      BlobStores stores,
      Quota quota,
      ChannelBook channels,
      RetireProperties properties,
      InstantSource clock) {
    return new ArtifactRetirement(
        catalog, register, stores, quota, channels, properties.gracePeriod(), steady(clock));
  }

  @Bean
  Retention retention(
      ArtifactCatalog catalog,
      ArtifactRetirement retirement,
      RetentionStore store,
      ChannelBook channels,
      InstantSource clock) {
    return new Retention(catalog, retirement, store, channels, clock);
  }

  @Bean
  BlobSweeper blobSweeper(
      BlobRegister register,
      BlobStore store,
      DataKeyStore dataKeys,
      UploadRows uploads,
      RetireProperties properties,
      InstantSource clock) {
    return new BlobSweeper(
        register, store, dataKeys, properties.orphanAge(), steady(clock), uploads::blobKeys);
  }

  @Bean
  SuspectCheck suspectCheck(
      BlobRegister register, BlobStores stores, RetireProperties properties, InstantSource clock) {
    return new SuspectCheck(register, stores, properties.sweepInterval(), clock);
  }

  private static SteadyClock steady(InstantSource clock) {
    return new SteadyClock(clock, System::nanoTime);
  }

  @Bean
  Authenticator authenticator(
      AccessTokenStore tokens,
      Links links,
      TokenUses uses,
      Optional<IssuedTokens> issued,
      InstantSource clock) {
    return new Authenticator(
        tokens, links, uses, new WrongSecrets(System::nanoTime), issued, clock);
  }

  /**
   * @param tokens are there once this process has locked the data folder
   */
  @Bean
  Links links(
      @Value("${artifact-server.data-dir}") String dataFolder,
      LinkProperties properties,
      AccessTokenStore tokens,
      InstantSource clock)
      throws IOException {
    return new Links(Path.of(dataFolder), properties, clock);
  }

  @Bean
  DerivationRules derivationRules(
      DeriveProperties properties, List<DerivedForm> forms, DerivedRegister derived) {
    return new DerivationRules(
        forms.stream().filter(properties::allows).toList(),
        properties.minSize().toBytes(),
        properties.maxSize().toBytes(),
        derived);
  }

  @Bean
  ArtifactDerivation artifactDerivation(
      DerivationRules rules,
      DerivedRegister derived,
      BlobRegister register,
      BlobStores stores,
      DeriveProperties properties,
      InstantSource clock) {
    return new ArtifactDerivation(rules, derived, register, stores, properties.share(), clock);
  }

  /** In place before the server listens, so that all who see it healthy find the token. */
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
