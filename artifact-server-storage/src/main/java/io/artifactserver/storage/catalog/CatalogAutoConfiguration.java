package io.artifactserver.storage.catalog;

import io.artifactserver.core.access.AccessTokenStore;
import io.artifactserver.core.blob.DataKeyStore;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.BlobRegister;
import io.artifactserver.storage.backend.InstallationBound;
import io.artifactserver.storage.folder.DataFolder;
import io.artifactserver.storage.folder.DataFolderException;
import java.time.InstantSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.persistence.autoconfigure.EntityScan;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.DependsOn;
import org.springframework.data.jpa.repository.config.EnableJpaRepositories;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * The catalog and the token store, each behind its cache. Nobody gets them before the data folder
 * is bound to their database: the sweeper of another catalog would delete every blob as an orphan.
 */
@AutoConfiguration(after = HibernateJpaAutoConfiguration.class)
@EnableConfigurationProperties(CatalogProperties.class)
@EnableJpaRepositories(basePackageClasses = CatalogAutoConfiguration.class)
@EntityScan(basePackageClasses = CatalogAutoConfiguration.class)
public class CatalogAutoConfiguration {
  private static final String BOUND = "installationId";

  @Bean
  @ConditionalOnMissingBean
  InstantSource instantSource() {
    return InstantSource.system();
  }

  @Bean
  CatalogTransactions catalogTransactions(PlatformTransactionManager transactionManager) {
    return new CatalogTransactions(transactionManager);
  }

  @Bean
  @DependsOn(BOUND)
  ArtifactCatalog artifactCatalog(
      CatalogTransactions transactions,
      RepositoryRows repositories,
      ArtifactRows artifacts,
      BlobRows blobs,
      InstantSource clock,
      CatalogProperties properties) {
    return new CachedArtifactCatalog(
        new JpaArtifactCatalog(transactions, repositories, artifacts, blobs, clock), properties);
  }

  @Bean
  @DependsOn(BOUND)
  BlobRegister blobRegister(CatalogTransactions transactions, BlobRows blobs, InstantSource clock) {
    return new JpaBlobRegister(transactions, blobs, clock);
  }

  @Bean
  @DependsOn(BOUND)
  DataKeyStore dataKeyStore(
      CatalogTransactions transactions, DataKeyRows dataKeys, InstantSource clock) {
    return new JpaDataKeyStore(transactions, dataKeys, clock);
  }

  @Bean
  @DependsOn(BOUND)
  AccessTokenStore accessTokenStore(
      CatalogTransactions transactions, AccessTokenRows tokens, CatalogProperties properties) {
    return new CachedAccessTokenStore(new JpaAccessTokenStore(transactions, tokens), properties);
  }

  /**
   * The id of the database in use, read once; the data folder, and whatever else keeps blobs, is
   * bound to it.
   *
   * @throws DataFolderException if the folder belongs to another database
   */
  @Bean(BOUND)
  InstallationId installationId(
      CatalogTransactions transactions,
      InstallationRows installations,
      DataFolder folder,
      ObjectProvider<InstallationBound> others) {
    InstallationId id =
        new InstallationId(transactions.read(() -> installations.findAll().getFirst().id()));
    folder.bind(id.value());
    others.forEach(other -> other.bind(id.value()));
    return id;
  }
}
