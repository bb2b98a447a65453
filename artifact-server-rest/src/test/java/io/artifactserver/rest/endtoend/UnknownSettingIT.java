package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A typo on the command line of the packaged server. */
class UnknownSettingIT {
  @TempDir private Path folder;

  @Test
  void stopsTheStartBeforeTheDataFolderIsMade() {
    Path data = folder.resolve("data");
    assertThatIllegalStateException()
        .isThrownBy(
            () -> PackagedServer.startOnNothing(data, "--artifact-server.catalog.cache-sise=1"))
        .withMessageContaining("APPLICATION FAILED TO START")
        .withMessageContaining("artifact-server.catalog.cache-sise")
        .withMessageContaining("Did you mean artifact-server.catalog.cache-size?");
    assertThat(data).doesNotExist();
  }
}
