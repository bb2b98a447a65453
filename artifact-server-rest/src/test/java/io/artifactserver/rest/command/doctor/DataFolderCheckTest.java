package io.artifactserver.rest.command.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataFolderCheckTest {
  @TempDir private Path folder;

  @Test
  void measuresAndLeavesNothingBehind() throws IOException {
    List<Finding> findings = new DataFolderCheck(folder).findings();
    assertThat(findings).extracting(Finding::name).containsExactly("disk room", "disk speed");
    assertThat(findings.getLast().value()).matches("write [\\d.]+ MB/s, read .+");
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void speedsAreAboveNothing() throws IOException {
    DiskSpeed speed = DiskSpeed.measure(folder);
    assertThat(speed.write()).isPositive();
    assertThat(speed.read().orElse(1)).isPositive();
  }

  @Test
  void aFolderToComeIsJudgedByItsParent() {
    Path absent = folder.resolve("a/b");
    assertThat(new DataFolderCheck(absent).findings())
        .allSatisfy(
            finding -> assertThat(finding.value()).endsWith(folder + ": the folder is not there"));
    assertThat(absent).doesNotExist();
  }

  /** Nobody, not even root, can make a file there. */
  @Test
  void aFolderThatTakesNoFileIsAFailure() {
    assertThat(new DataFolderCheck(Path.of("/proc/self")).findings())
        .anySatisfy(finding -> {
          assertThat(finding.name()).isEqualTo("data folder");
          assertThat(finding.verdict()).isEqualTo(Verdict.FAIL);
        });
  }
}
