package io.artifactserver.storage.hawkbit;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.grant.GrantedFiles;
import io.artifactserver.storage.local.folder.DataFolderAutoConfiguration;
import io.artifactserver.storage.local.mapped.MappedFilesAutoConfiguration;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class HawkbitFolderAutoConfigurationTest {
  @TempDir private Path folder;

  @Test
  void folderThatIsNamedIsServed() {
    runner("artifact-server.hawkbit.artifacts=" + folder)
        .run(context ->
            assertThat(context.getBean(GrantedFiles.class)).isInstanceOf(HawkbitFolder.class));
  }

  @Test
  void whatIsFetchedIsKept() {
    runner("artifact-server.hawkbit.pull=true")
        .run(context ->
            assertThat(context.getBean(GrantedFiles.class)).isInstanceOf(PulledFolder.class));
  }

  /** As docker-compose.yml passes on a variable that is not set. */
  @Test
  void emptyNameIsNone() {
    runner("artifact-server.hawkbit.artifacts=")
        .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(GrantedFiles.class));
  }

  private ApplicationContextRunner runner(String property) {
    return new ApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(
                HawkbitFolderAutoConfiguration.class,
                DataFolderAutoConfiguration.class,
                MappedFilesAutoConfiguration.class))
        .withPropertyValues("artifact-server.data-dir=" + folder.resolve("data"), property);
  }
}
