package io.artifactserver.storage.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.storage.backend.SetupException;
import io.artifactserver.storage.local.folder.DataFolder;
import io.artifactserver.storage.postgres.TestDatabase;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** One data folder, one process, one database. */
@ExtendWith(OutputCaptureExtension.class)
class BoundDataFolderTest {
  @TempDir private Path folder;

  @Test
  void refusesTheDatabaseOfAnotherInstallationBeforeAnyoneGetsItsCatalog(CapturedOutput output) {
    TestDatabase first = TestDatabase.create();
    TestDatabase second = TestDatabase.create();
    UUID firstId = startAndStop(first);
    UUID secondId = startAndStop(second, "artifact-server.data-dir=" + folder.resolve("other"));
    int before = output.getOut().length();
    CatalogUser.created.set(false);

    assertThatThrownBy(() -> run(second).close())
        .rootCause()
        .isInstanceOf(SetupException.class)
        .hasMessageContaining("of installation " + firstId)
        .hasMessageContaining("of installation " + secondId);

    assertThat(CatalogUser.created).isFalse();
    assertThat(output.getOut().substring(before))
        .contains("APPLICATION FAILED TO START")
        .contains(folder.toString())
        .contains(firstId.toString())
        .contains(secondId.toString())
        .contains("Start with the folder and the database that belong together")
        .doesNotContain("at io.artifactserver");
    assertThat(startAndStop(first)).isEqualTo(firstId);
    assertThat(CatalogUser.created).isTrue();
  }

  @Test
  void isLockedWithADatabaseOfTheOperatorsToo() {
    try (ConfigurableApplicationContext context = run(TestDatabase.create())) {
      assertThat(context.getBean(DataFolder.class).path()).isEqualTo(folder);
      assertThatExceptionOfType(SetupException.class)
          .isThrownBy(() -> DataFolder.open(folder).close());
    }
    DataFolder.open(folder).close();
  }

  @Test
  void isTakenBeforeTheEmbeddedDatabaseStarts() {
    try (DataFolder held = DataFolder.open(folder)) {
      assertThatThrownBy(() -> run("artifact-server.data-dir=" + held.path()).close())
          .rootCause()
          .isInstanceOf(SetupException.class);
    }
    assertThat(folder).isDirectoryNotContaining("glob:**/postgres*");
  }

  private UUID startAndStop(TestDatabase database, String... properties) {
    try (ConfigurableApplicationContext context = run(database, properties)) {
      return context.getBean(InstallationId.class).value();
    }
  }

  private ConfigurableApplicationContext run(TestDatabase database, String... properties) {
    return builder()
        .properties(database.properties())
        .properties("artifact-server.data-dir=" + folder)
        .properties(properties)
        .run();
  }

  private static ConfigurableApplicationContext run(String... properties) {
    return builder().properties(properties).run();
  }

  private static SpringApplicationBuilder builder() {
    return new SpringApplicationBuilder(Beans.class)
        .web(WebApplicationType.NONE)
        .properties("spring.main.banner-mode=off");
  }

  /** Stands before the module's own beans, as those of the application do. */
  record CatalogUser(ArtifactCatalog catalog) {
    static final AtomicBoolean created = new AtomicBoolean();

    CatalogUser {
      created.set(true);
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Beans {
    @Bean
    CatalogUser catalogUser(ArtifactCatalog catalog) {
      return new CatalogUser(catalog);
    }
  }
}
