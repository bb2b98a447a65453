package io.artifactserver.storage.local.folder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.artifactserver.storage.backend.SetupException;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataFolderTest {
  @TempDir private Path parent;

  @Test
  void createsTheFolderForItsOwner() throws IOException {
    Path path = parent.resolve("a/b");
    try (DataFolder folder = DataFolder.open(path)) {
      assertThat(folder.path()).isEqualTo(path.toAbsolutePath());
      assertThat(mode(path)).isEqualTo("rwx------");
      assertThat(mode(path.resolve("lock"))).isEqualTo("rw-------");
    }
  }

  @Test
  void isHeldOnceInAProcess() throws IOException {
    DataFolder first = DataFolder.open(parent);
    assertThatExceptionOfType(SetupException.class)
        .isThrownBy(() -> DataFolder.open(parent))
        .withMessageContaining("in this very process")
        .withMessageContaining(parent.toString());
    // The refused attempt must not have given the first one's lock back.
    Process other = startHolder();
    try (BufferedReader output = other.inputReader(StandardCharsets.UTF_8)) {
      assertThat(output.readLine()).contains("pid " + ProcessHandle.current().pid());
    } finally {
      end(other);
    }
    first.close();
    first.close();
    assertThatCode(() -> DataFolder.open(parent).close()).doesNotThrowAnyException();
  }

  @Test
  void isHeldByOneProcess() throws IOException {
    Process other = startHolder();
    try (BufferedReader output = other.inputReader(StandardCharsets.UTF_8)) {
      assertThat(output.readLine()).isEqualTo("held");
      assertThatExceptionOfType(SetupException.class)
          .isThrownBy(() -> DataFolder.open(parent))
          .withMessageContaining("Another artifact-server (pid " + other.pid() + ")")
          .withMessageContaining("artifact-server.data-dir");
    } finally {
      end(other);
    }
    assertThatCode(() -> DataFolder.open(parent).close()).doesNotThrowAnyException();
  }

  @Test
  void belongsToTheCatalogThatBoundItFirst() {
    UUID first = UUID.fromString("00000000-0000-0000-0000-000000000001");
    UUID second = UUID.fromString("00000000-0000-0000-0000-000000000002");
    try (DataFolder folder = DataFolder.open(parent)) {
      folder.bind(first);
      folder.bind(first);
    }
    try (DataFolder folder = DataFolder.open(parent)) {
      assertThatExceptionOfType(SetupException.class)
          .isThrownBy(() -> folder.bind(second))
          .withMessageContaining(first.toString())
          .withMessageContaining(second.toString())
          .withMessageContaining("empty folder");
      folder.bind(first);
    }
  }

  @Test
  void aHalfWrittenMarkerBindsNothing() throws IOException {
    Files.writeString(parent.resolve("installation-id.part"), "0000");
    try (DataFolder folder = DataFolder.open(parent)) {
      UUID id = UUID.randomUUID();
      folder.bind(id);
      folder.bind(id);
      assertThat(parent.resolve("installation-id.part")).doesNotExist();
    }
  }

  @Test
  void saysThatItCannotBeUsed() throws IOException {
    Path file = Files.writeString(parent.resolve("file"), "");
    assertThatExceptionOfType(SetupException.class)
        .isThrownBy(() -> DataFolder.open(file))
        .withMessageContaining(file.toString());
  }

  private Process startHolder() throws IOException {
    return new ProcessBuilder(
            ProcessHandle.current().info().command().orElseThrow(),
            "-cp",
            System.getProperty("java.class.path"),
            FolderHolder.class.getName(),
            parent.toString())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  private static void end(Process process) {
    process.destroyForcibly();
    process.onExit().join();
  }

  private static String mode(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }
}
