package io.artifactserver.storage.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.CatalogUnavailableException;
import io.artifactserver.core.testserver.Ports;
import io.artifactserver.storage.catalog.InstallationId;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

class DatabaseAutoConfigurationTest {
  @TempDir Path folder;

  @Test
  void startsTheEmbeddedDatabaseIfNoneIsSetUp() throws IOException {
    InstallationId installation;
    ClusterProcesses processes = new ClusterProcesses(folder.toRealPath().resolve("data/postgres"));
    String dataDirectory = "artifact-server.data-dir=" + folder.resolve("data");
    try (ConfigurableApplicationContext context = run(dataDirectory)) {
      assertThat(context.getBean(DatabaseServer.class)).isInstanceOf(EmbeddedPostgres.class);
      assertThat(context.getBean(HikariDataSource.class).getMaximumPoolSize()).isEqualTo(8);
      assertThat(context.getBean(ArtifactCatalog.class).createRepository("firmware", true, false))
          .isPresent();
      installation = context.getBean(InstallationId.class);
    }
    assertThat(processes.running()).isEmpty();
    try (ConfigurableApplicationContext context = run(dataDirectory)) {
      assertThat(context.getBean(ArtifactCatalog.class).repository("firmware")).isPresent();
      assertThat(context.getBean(InstallationId.class)).isEqualTo(installation);
    }
  }

  @Test
  void aDatabaseThatEndsIsUnavailableAndNotAFault() {
    try (EmbeddedPostgres postgres = EmbeddedPostgres.start(folder, 20);
        ConfigurableApplicationContext context =
            run(
                new TestDatabase(postgres.jdbcUrl(), postgres.username(), postgres.password())
                    .properties())) {
      ArtifactCatalog catalog = context.getBean(ArtifactCatalog.class);
      assertThat(catalog.repositories()).isEmpty();
      context.getBean(HikariDataSource.class).setConnectionTimeout(250);
      stop(postgres);
      assertThatThrownBy(catalog::repositories).isInstanceOf(CatalogUnavailableException.class);
      assertThatThrownBy(() -> catalog.createRepository("firmware", true, false))
          .isInstanceOf(CatalogUnavailableException.class);
    }
  }

  @Test
  void aConnectionThatIsCutIsUnavailability() throws SQLException {
    TestDatabase database = TestDatabase.create();
    try (ConfigurableApplicationContext context = run(database.properties())) {
      ArtifactCatalog catalog = context.getBean(ArtifactCatalog.class);
      assertThat(catalog.repositories()).isEmpty();
      try (Connection lock = database.connect();
          Statement statement = lock.createStatement()) {
        lock.setAutoCommit(false);
        statement.execute("lock table repository");
        CompletableFuture<Object> waiter = CompletableFuture.supplyAsync(catalog::repositories);
        terminateWaiter(database);
        assertThatThrownBy(waiter::join).hasCauseInstanceOf(CatalogUnavailableException.class);
      }
      assertThat(catalog.repositories()).isEmpty();
    }
  }

  @Test
  void saysThatTheDatabaseDoesNotAnswer() {
    int port = Ports.reserve();
    DatabaseProperties properties =
        new DatabaseProperties(
            "jdbc:postgresql://127.0.0.1:" + port + "/firmware?password=hidden",
            "operator",
            "secret",
            8,
            Duration.ofMillis(700));
    assertThatThrownBy(() -> ExternalPostgres.await(properties))
        .isInstanceOf(DatabaseStartException.class)
        .hasMessageContaining("127.0.0.1:" + port + "/firmware")
        .hasMessageContaining("did not answer")
        .hasMessageNotContaining("secret")
        .hasMessageNotContaining("hidden");
  }

  @Test
  void doesNotWaitForADatabaseThatRefuses() {
    TestDatabase database = TestDatabase.create();
    DatabaseProperties properties =
        new DatabaseProperties(
            database.url() + "_missing",
            database.username(),
            database.password(),
            8,
            Duration.ofDays(1));
    assertThatThrownBy(() -> ExternalPostgres.await(properties))
        .isInstanceOf(DatabaseStartException.class)
        .hasMessageContaining("refuses")
        .hasMessageContaining("_missing");
  }

  @Test
  void refusesADatabaseThatIsNotUtf8() throws SQLException {
    TestDatabase database = TestDatabase.create();
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "create database test_ascii encoding 'SQL_ASCII' locale_provider libc locale 'C'"
              + " template template0");
    }
    String url = database.url().substring(0, database.url().lastIndexOf('/')) + "/test_ascii";
    DatabaseProperties properties =
        new DatabaseProperties(
            url, database.username(), database.password(), 8, Duration.ofSeconds(30));
    assertThatThrownBy(() -> ExternalPostgres.await(properties))
        .isInstanceOf(DatabaseStartException.class)
        .hasMessageContaining("UTF8");
  }

  private static void stop(EmbeddedPostgres postgres) {
    postgres.close();
  }

  /** Ends the session that waits for a lock, once there is one. */
  private static void terminateWaiter(TestDatabase database) throws SQLException {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      String terminate =
          "select pg_terminate_backend(pid) from pg_stat_activity where wait_event_type = 'Lock'"
              + " and datname = current_database()";
      while (!statement.executeQuery(terminate).next()) {
        Thread.onSpinWait();
      }
    }
  }

  private static ConfigurableApplicationContext run(String... properties) {
    return new SpringApplicationBuilder(Application.class)
        .web(WebApplicationType.NONE)
        .properties("spring.main.banner-mode=off")
        .properties(properties)
        .run();
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Application {}
}
