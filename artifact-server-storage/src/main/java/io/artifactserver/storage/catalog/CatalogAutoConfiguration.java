package io.artifactserver.storage.catalog;

import io.artifactserver.core.access.AccessTokenStore;
import io.artifactserver.core.access.InstallationSecret;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.digest.SavableDigests;
import io.artifactserver.core.thread.DaemonThreads;
import io.artifactserver.storage.backend.InstallationBound;
import io.artifactserver.storage.backend.SetupException;
import io.artifactserver.storage.catalog.access.CachedAccessTokenStore;
import io.artifactserver.storage.catalog.access.JdbcAccessTokenStore;
import io.artifactserver.storage.catalog.access.JdbcAuditLog;
import io.artifactserver.storage.catalog.artifact.ArtifactRows;
import io.artifactserver.storage.catalog.artifact.BlobRows;
import io.artifactserver.storage.catalog.artifact.CachedArtifactCatalog;
import io.artifactserver.storage.catalog.artifact.DerivedRows;
import io.artifactserver.storage.catalog.artifact.DigestRows;
import io.artifactserver.storage.catalog.artifact.JdbcArtifactCatalog;
import io.artifactserver.storage.catalog.artifact.JdbcBlobChecksums;
import io.artifactserver.storage.catalog.artifact.JdbcBlobRegister;
import io.artifactserver.storage.catalog.artifact.JdbcDataKeyStore;
import io.artifactserver.storage.catalog.artifact.JdbcDerivedRegister;
import io.artifactserver.storage.catalog.artifact.RepositoryRows;
import io.artifactserver.storage.catalog.artifact.UsedPathRows;
import io.artifactserver.storage.catalog.attachment.JdbcAttachmentStore;
import io.artifactserver.storage.catalog.attachment.JdbcTrustedKeyStore;
import io.artifactserver.storage.catalog.limit.JdbcLimitStore;
import io.artifactserver.storage.catalog.limit.JdbcQuotaStore;
import io.artifactserver.storage.catalog.progress.JdbcProgressStore;
import io.artifactserver.storage.catalog.progress.JdbcRolloutStore;
import io.artifactserver.storage.catalog.release.JdbcChannelStore;
import io.artifactserver.storage.catalog.retention.JdbcRetentionStore;
import io.artifactserver.storage.catalog.upload.JdbcUploadRows;
import io.artifactserver.storage.catalog.webhook.JdbcDeliveryStore;
import io.artifactserver.storage.catalog.webhook.JdbcWebhookStore;
import io.artifactserver.storage.digest.BouncyCastleDigests;
import io.artifactserver.storage.digest.JdkDigests;
import io.artifactserver.storage.local.folder.DataFolder;
import io.artifactserver.storage.postgres.DatabaseServer;
import io.artifactserver.storage.postgres.InstallationLock;
import java.time.Duration;
import java.time.InstantSource;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcClientAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.DependsOn;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * The catalog and the token store, each behind its cache. Nobody gets them before the data folder
 * is bound to their database: the sweeper of another catalog would delete every blob as an orphan.
 */
@AutoConfiguration(
    after = {
      DataSourceTransactionManagerAutoConfiguration.class,
      JdbcClientAutoConfiguration.class
    })
@EnableConfigurationProperties(CatalogProperties.class)
@Import({
  RepositoryRows.class,
  ArtifactRows.class,
  BlobRows.class,
  DigestRows.class,
  DerivedRows.class,
  UsedPathRows.class,
  JdbcBlobRegister.class,
  JdbcDerivedRegister.class,
  JdbcQuotaStore.class,
  JdbcLimitStore.class,
  JdbcProgressStore.class,
  JdbcRolloutStore.class,
  JdbcDataKeyStore.class,
  JdbcBlobChecksums.class,
  JdbcAuditLog.class,
  JdbcChannelStore.class,
  JdbcUploadRows.class,
  JdbcRetentionStore.class,
  JdbcAttachmentStore.class,
  JdbcWebhookStore.class,
  JdbcDeliveryStore.class,
  JdbcTrustedKeyStore.class
})
public class CatalogAutoConfiguration {
  private static final String BOUND = "installationId";

  /** Few: they must leave the database's connections to those who wait. */
  private static final int TASK_THREADS = 2;

  /** Belongs to another module, whose default this is. */
  private static final String GRACE_PERIOD = "artifact-server.retire.grace-period";

  private static final Duration DEFAULT_GRACE_PERIOD = Duration.ofMinutes(15);

  /**
   * @throws SetupException if the settings do not fit each other
   */
  CatalogAutoConfiguration(CatalogProperties properties, Environment environment) {
    properties.requireWithin(
        Binder.get(environment).bind(GRACE_PERIOD, Duration.class).orElse(DEFAULT_GRACE_PERIOD));
  }

  @Bean
  @ConditionalOnMissingBean
  InstantSource instantSource() {
    return InstantSource.system();
  }

  /** Available only once the data folder is bound to the database. */
  @Bean
  @DependsOn(BOUND)
  CatalogTransactions catalogTransactions(
      PlatformTransactionManager transactionManager, DatabaseServer server, InstallationLock lock) {
    return new CatalogTransactions(transactionManager, server, lock);
  }

  /** Runs refreshes that nobody waits for, of entries in use, before their time is over. */
  @Bean(destroyMethod = "shutdownNow")
  ExecutorService catalogTasks() {
    // No more tasks wait than the cache has entries, which is bounded.
    return DaemonThreads.pool("catalog-task-", TASK_THREADS);
  }

  @Bean
  SavableDigests savableDigests() {
    SavableDigests anywhere = new BouncyCastleDigests();
    return JdkDigests.find(anywhere).orElse(anywhere);
  }

  @Bean
  ArtifactCatalog artifactCatalog(
      CatalogTransactions transactions,
      RepositoryRows repositories,
      ArtifactRows artifacts,
      BlobRows blobs,
      DigestRows digests,
      UsedPathRows usedPaths,
      InstantSource clock,
      CatalogProperties properties,
      ExecutorService catalogTasks) {
    return new CachedArtifactCatalog(
        new JdbcArtifactCatalog(
            transactions, repositories, artifacts, blobs, digests, usedPaths, clock),
        properties,
        catalogTasks);
  }

  @Bean
  AccessTokenStore accessTokenStore(
      CatalogTransactions transactions,
      JdbcClient jdbc,
      CatalogProperties properties,
      ExecutorService catalogTasks) {
    return new CachedAccessTokenStore(
        new JdbcAccessTokenStore(transactions, jdbc), properties, catalogTasks);
  }

  /** Read once, as it never changes. */
  @Bean
  InstallationSecret installationSecret(CatalogTransactions transactions, JdbcClient jdbc) {
    return transactions.read(() ->
        jdbc.sql("select secret from installation")
            .query((row, _) -> new InstallationSecret(row.getBytes(1)))
            .single());
  }

  /**
   * The id of the database in use, read once; the data folder, and whatever else keeps blobs, is
   * bound to it.
   *
   * @throws SetupException if the folder belongs to another database
   */
  @Bean(BOUND)
  InstallationId installationId(
      PlatformTransactionManager transactionManager,
      DatabaseServer server,
      InstallationLock lock,
      JdbcClient jdbc,
      DataFolder folder,
      ObjectProvider<InstallationBound> others) {
    InstallationId id =
        new CatalogTransactions(transactionManager, server, lock)
            .read(() ->
                jdbc.sql("select id from installation")
                    .query((row, _) -> new InstallationId(row.getObject(1, UUID.class)))
                    .single());
    folder.bind(id.value());
    others.forEach(other -> other.bind(id.value()));
    return id;
  }
}
