package io.artifactserver.rest.command.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LockFileTest {
  @TempDir private Path folder;

  private Path file;

  @BeforeEach
  void name() {
    file = folder.resolve("a.lock");
  }

  @Test
  void oneProcessHasIt() throws Exception {
    try (LockFile _ = LockFile.take(file).orElseThrow()) {
      assertThat(takenByAnotherProcess()).isFalse();
      assertThat(takenByAnotherProcess()).isFalse();
      assertThat(LockFile.take(file)).isEmpty();
    }
    assertThat(file).doesNotExist();
    assertThat(takenByAnotherProcess()).isTrue();
    assertThat(file).doesNotExist();
  }

  @Test
  void aFileThatIsLeftOverIsTaken() throws Exception {
    Files.writeString(file, "of a process that was killed");
    LockFile.take(file).orElseThrow().close();
    assertThat(file).doesNotExist();
  }

  /** The last holder deletes it between this one's opening and its lock. */
  @Test
  void aFileThatWasDeletedIsNone() throws Exception {
    try (FileChannel deleted =
        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      assertThat(LockFile.isStillThere(file, deleted)).isTrue();
      Files.delete(file);
      assertThat(LockFile.isStillThere(file, deleted)).isFalse();
      try (LockFile _ = LockFile.take(file).orElseThrow()) {
        assertThat(LockFile.isStillThere(file, deleted)).isFalse();
      }
    }
  }

  private boolean takenByAnotherProcess() throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Other.class.getName(),
                file.toString())
            .inheritIO()
            .start();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isBetween(10, 11);
    return process.exitValue() == 10;
  }

  /** The other process. */
  static final class Other {
    private Other() {}

    public static void main(String[] arguments) throws IOException {
      Optional<LockFile> lock = LockFile.take(Path.of(arguments[0]));
      if (lock.isPresent()) {
        lock.get().close();
      }
      System.exit(lock.isPresent() ? 10 : 11);
    }
  }
}
