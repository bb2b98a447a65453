package io.artifactserver.storage.postgres;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.artifactserver.storage.local.folder.DataFolder;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.context.annotation.Bean;

/** The database and its pool: the operator's, or the embedded one if no address is set. */
@AutoConfiguration(before = {DataSourceAutoConfiguration.class, FlywayAutoConfiguration.class})
@EnableConfigurationProperties(DatabaseProperties.class)
public class DatabaseAutoConfiguration {
  /** Connections beside the pool's: an operator's psql, a backup, the superuser's reserve. */
  private static final int FURTHER_CONNECTIONS = 12;

  private static final int CONNECTION_TIMEOUT_MILLIS = 5_000;

  /**
   * Waits for the operator's database, or starts the embedded one.
   *
   * @param folder held before the database starts and until it has stopped
   * @throws DatabaseStartException if there is none to be had
   */
  @Bean(destroyMethod = "close")
  DatabaseServer databaseServer(DatabaseProperties properties, DataFolder folder) {
    return properties.embedded()
        ? EmbeddedPostgres.start(folder.path(), properties.poolSize() + FURTHER_CONNECTIONS)
        : ExternalPostgres.await(properties);
  }

  /** Held before anything is read or migrated, and until the pool is closed. */
  @Bean(destroyMethod = "close")
  InstallationLock installationLock(DatabaseServer server) {
    return InstallationLock.take(server);
  }

  /**
   * @param lock without which nobody gets to the database
   */
  @Bean(destroyMethod = "close")
  HikariDataSource dataSource(
      DatabaseServer server, DatabaseProperties properties, InstallationLock lock) {
    HikariConfig config = new HikariConfig();
    config.setPoolName("database");
    config.setJdbcUrl(server.jdbcUrl());
    if (!server.username().isEmpty()) {
      config.setUsername(server.username());
    }
    if (!server.password().isEmpty()) {
      config.setPassword(server.password());
    }
    config.setMaximumPoolSize(properties.poolSize());
    config.setMinimumIdle(1);
    config.setConnectionTimeout(CONNECTION_TIMEOUT_MILLIS);
    config.addDataSourceProperty("ApplicationName", "artifact-server");
    config.addDataSourceProperty("tcpKeepAlive", "true");
    config.addDataSourceProperty("connectTimeout", "5");
    // Seconds. Without it a database that vanishes without a word holds its callers for ever.
    config.addDataSourceProperty("socketTimeout", "60");
    return new HikariDataSource(config);
  }
}
