package io.artifactserver.storage.catalog;

import io.artifactserver.core.access.AccessTokenStore;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.BlobRegister;
import java.time.InstantSource;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.persistence.autoconfigure.EntityScan;
import org.springframework.context.annotation.Bean;
import org.springframework.data.jpa.repository.config.EnableJpaRepositories;
import org.springframework.transaction.PlatformTransactionManager;

/** The catalog and the token store, each behind its cache. */
@AutoConfiguration(after = HibernateJpaAutoConfiguration.class)
@EnableConfigurationProperties(CatalogProperties.class)
@EnableJpaRepositories(basePackageClasses = CatalogAutoConfiguration.class)
@EntityScan(basePackageClasses = CatalogAutoConfiguration.class)
public class CatalogAutoConfiguration {
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
  BlobRegister blobRegister(CatalogTransactions transactions, BlobRows blobs, InstantSource clock) {
    return new JpaBlobRegister(transactions, blobs, clock);
  }

  @Bean
  AccessTokenStore accessTokenStore(
      CatalogTransactions transactions, AccessTokenRows tokens, CatalogProperties properties) {
    return new CachedAccessTokenStore(new JpaAccessTokenStore(transactions, tokens), properties);
  }

  /** The id of the database in use, read once. */
  @Bean
  InstallationId installationId(CatalogTransactions transactions, InstallationRows installations) {
    return new InstallationId(transactions.read(() -> installations.findAll().getFirst().id()));
  }
}
