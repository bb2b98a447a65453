package io.artifactserver.storage.local.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.storage.backend.UnknownBackendAutoConfiguration;
import io.artifactserver.storage.local.folder.DataFolder;
import io.artifactserver.storage.local.folder.DataFolderAutoConfiguration;
import io.artifactserver.storage.local.folder.DataFolderProperties;
import io.artifactserver.storage.local.mapped.MappedFilesAutoConfiguration;
import io.artifactserver.storage.local.mapped.MappedFilesProperties;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class FileStorageAutoConfigurationTest {
  @TempDir private Path folder;

  private ApplicationContextRunner runner() {
    return new ApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(
                DataFolderAutoConfiguration.class,
                MappedFilesAutoConfiguration.class,
                FileStorageAutoConfiguration.class,
                UnknownBackendAutoConfiguration.class))
        .withPropertyValues("artifact-server.data-dir=" + folder);
  }

  @Test
  void defaults() {
    runner()
        .run(context -> {
          assertThat(context.getBean(MappedFilesProperties.class))
              .isEqualTo(new MappedFilesProperties(256, Duration.ofMinutes(5)));
          assertThat(context.getBean(BlobStore.class)).isInstanceOf(FileBlobStore.class);
          assertThat(context.getBean(DataFolder.class).path()).isEqualTo(folder);
        });
    new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(DataFolderAutoConfiguration.class))
        .withBean(DataFolder.class, () -> DataFolder.open(folder))
        .run(context ->
            assertThat(context.getBean(DataFolderProperties.class))
                .isEqualTo(new DataFolderProperties("./data")));
  }

  @Test
  void everyName() {
    runner()
        .withPropertyValues(
            "artifact-server.storage.backend=file",
            "artifact-server.storage.mapped-files=7",
            "artifact-server.storage.mapped-files-idle-time=90s")
        .run(context -> {
          assertThat(context.getBean(MappedFilesProperties.class))
              .isEqualTo(new MappedFilesProperties(7, Duration.ofSeconds(90)));
          assertThat(context.getBean(DataFolderProperties.class))
              .isEqualTo(new DataFolderProperties(folder.toString()));
        });
  }

  @Test
  void refusesValuesOutOfBounds() {
    for (String wrong : new String[] {"mapped-files=0", "mapped-files-idle-time=0s"}) {
      runner()
          .withPropertyValues("artifact-server.storage." + wrong)
          .run(context ->
              assertThat(context.getStartupFailure())
                  .rootCause()
                  .hasMessageContaining(wrong.substring(0, wrong.indexOf('='))));
    }
  }

  @Test
  void refusesAnUnknownBackend() {
    runner()
        .withPropertyValues("artifact-server.storage.backend=floppy")
        .run(context ->
            assertThat(context.getStartupFailure())
                .rootCause()
                .hasMessageContaining("artifact-server.storage.backend")
                .hasMessageContaining("floppy"));
  }

  @Test
  void saysWhereBlobsAreAndHowMuchRoomThereIs(CapturedOutput output) {
    runner().run(context -> assertThat(context).hasNotFailed());
    assertThat(output)
        .containsPattern(
            "Blobs are kept in " + Pattern.quote(folder + "/blobs") + ", which has \\d+ MiB free");
  }

  @Test
  void givesTheFolderBackWhenItStops() {
    runner().run(context -> assertThat(context).hasNotFailed());
    DataFolder.open(folder).close();
  }
}
