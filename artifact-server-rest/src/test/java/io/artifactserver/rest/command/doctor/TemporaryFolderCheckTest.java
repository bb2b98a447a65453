package io.artifactserver.rest.command.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TemporaryFolderCheckTest {
  @TempDir private Path folder;

  @Test
  void codeMayRunFromTheTestsOwn() {
    assertThat(TemporaryFolderCheck.current().finding().verdict()).isEqualTo(Verdict.OK);
  }

  @Test
  void saysWhatDoesNotWorkWhereNoCodeRuns() {
    Finding finding = new TemporaryFolderCheck(folder, _ -> false).finding();
    assertThat(finding.verdict()).isEqualTo(Verdict.FAIL);
    assertThat(finding.meaning()).contains("no update forms");
    assertThat(finding.fix()).startsWith("mount -o remount,exec " + folder);
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void aFolderThatTakesNoFileIsAFailure() {
    Finding finding = new TemporaryFolderCheck(folder.resolve("gone"), _ -> true).finding();
    assertThat(finding.verdict()).isEqualTo(Verdict.FAIL);
    assertThat(finding.meaning()).contains("cannot be written to", "gone");
  }
}
