package io.artifactserver.rest.command.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The files that a download makes, and those that it must not touch. */
class PulledFileTest extends ClientFixture {
  private static final byte[] CONTENT = "new bytes".getBytes(StandardCharsets.UTF_8);

  private Path output;

  @BeforeEach
  void artifact() {
    server.artifacts.put("boards/a.img", CONTENT);
    output = folder.resolve("a.img");
  }

  @Test
  void aFileIsMadeAndReplaced() throws IOException {
    Files.writeString(output, "old");
    assertThat(pull("boards/a.img", "-o", output).status()).isZero();
    requireOnly(CONTENT);
  }

  @Test
  void aFifoIsRefused() throws Exception {
    assertThat(new ProcessBuilder("mkfifo", output.toString()).start().waitFor()).isZero();
    Run run = pull("boards/a.img", "-o", output);
    assertThat(Files.readAttributes(output, "isOther")).containsEntry("isOther", true);
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.errors()).contains(output + " is no regular file", "-o FILE");
    assertThat(server.requests).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aLinkIsRefusedAndItsFileNamed(boolean isDangling) throws IOException {
    Path real = folder.resolve("real.img");
    if (!isDangling) {
      Files.writeString(real, "old");
    }
    Files.createSymbolicLink(output, real);
    Run run = pull("boards/a.img", "-o", output);
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.errors()).contains("is a symbolic link", "-o " + real);
    assertThat(output).isSymbolicLink();
    assertThat(Files.exists(real)).isNotEqualTo(isDangling);
    assertThat(server.requests).isEmpty();
  }

  @Test
  void standardOutputIsNoFile() {
    Run run = pull("boards/a.img", "-o", "-");
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.errors()).contains("-o FILE");
    assertThat(Path.of("-")).doesNotExist();
  }

  @Test
  void aFolderThatIsMissingIsNamed() {
    Run run = pull("boards/a.img", "-o", folder.resolve("absent/a.img"));
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.errors()).contains("there is no folder " + folder.resolve("absent"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"a.img.part", "a.img.part.lock"})
  void aLinkInThePlaceOfAnOwnFileIsNotFollowed(String name) throws IOException {
    Path victim = Files.writeString(folder.resolve("victim"), "precious");
    Files.createSymbolicLink(folder.resolve(name), victim);
    Run run = pull("boards/a.img", "-o", output);
    assertThat(victim).hasContent("precious");
    assertThat(run.status()).isEqualTo(1);
    assertThat(run.errors()).contains(name);
    assertThat(output).doesNotExist();
  }

  @Test
  void aStateThatIsALinkIsNotRead() throws IOException {
    Path victim = Files.writeString(folder.resolve("victim"), "bytes=0-9");
    Files.createSymbolicLink(folder.resolve("a.img.part.state"), victim);
    assertThat(pull("boards/a.img", "-o", output).status()).isZero();
    assertThat(victim).hasContent("bytes=0-9");
    Files.delete(victim);
    requireOnly(CONTENT);
  }

  @Test
  void aPartWithAnotherNameIsNotWrittenTo() throws IOException {
    Path victim = Files.writeString(folder.resolve("victim"), "precious");
    Files.createLink(folder.resolve("a.img.part"), victim);
    Run run = pull("boards/a.img", "-o", output);
    assertThat(run.status()).isEqualTo(1);
    assertThat(run.errors()).contains("a.img.part", "remove it");
    assertThat(victim).hasContent("precious");
  }

  @Test
  void aPartIsForItsOwnerAndTheFileForAllAsAnyNewOne() throws IOException {
    Set<PosixFilePermission> usual =
        Files.getPosixFilePermissions(Files.createFile(folder.resolve("usual")));
    Files.delete(folder.resolve("usual"));
    breakOff();
    assertThat(pull("boards/a.img", "-o", output).status()).isEqualTo(3);
    assertThat(
            PosixFilePermissions.toString(
                Files.getPosixFilePermissions(folder.resolve("a.img.part"))))
        .isEqualTo("rw-------");
    server.artifacts.put("boards/b.img", CONTENT);
    try (FakeServer other = new FakeServer()) {
      other.artifacts.putAll(server.artifacts);
      assertThat(pull("boards/a.img", "-o", output, "--server", other.uri()).status()).isZero();
      assertThat(Files.getPosixFilePermissions(output)).isEqualTo(usual);
      Files.writeString(output, "old");
      Files.setPosixFilePermissions(output, PosixFilePermissions.fromString("rwxr-x---"));
      assertThat(pull("boards/a.img", "-o", output, "--server", other.uri()).status()).isZero();
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(output)))
          .isEqualTo("rwxr-x---");
    }
    requireOnly(CONTENT);
  }

  @Test
  void aPartThatIsShorterThanItsStateGoesOnFromWhatIsThere() throws IOException {
    breakOff();
    assertThat(pull("boards/a.img", "-o", output).status()).isEqualTo(3);
    assertThat(folder.resolve("a.img.part")).hasContent("new");
    Path state = folder.resolve("a.img.part.state");
    Files.writeString(state, Files.readString(state).replace("bytes=0-3", "bytes=0-9"));
    assertThat(state).content().contains("bytes=0-9");
    try (FakeServer other = new FakeServer()) {
      other.artifacts.putAll(server.artifacts);
      Run run = pull("--json", "boards/a.img", "-o", output, "--server", other.uri());
      assertThat(run.status()).as(run.errors()).isZero();
      assertThat(run.output()).contains("\"transferred\":6");
    }
    requireOnly(CONTENT);
  }

  @Test
  void anotherProcessIsToldSo() throws IOException {
    Path lock = folder.resolve("a.img.part.lock");
    try (FileChannel other =
            FileChannel.open(lock, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        var _ = other.lock()) {
      Run run = pull("boards/a.img", "-o", output);
      assertThat(run.status()).isEqualTo(1);
      assertThat(run.errors()).contains("another process is fetching");
      assertThat(lock).exists();
    }
  }

  /** Three bytes come, then the token is no good any more. */
  private void breakOff() {
    AtomicInteger requests = new AtomicInteger();
    server.replace(
        "GET /artifacts",
        0,
        exchange -> {
          if (requests.getAndIncrement() > 0) {
            FakeServer.problem(403, "no").handle(exchange);
            return;
          }
          exchange.getResponseHeaders().set("ETag", FakeServer.entityTag(CONTENT));
          exchange.getResponseHeaders().set("Content-Range", "bytes 0-8/9");
          exchange.sendResponseHeaders(206, CONTENT.length);
          exchange.getResponseBody().write(CONTENT, 0, 3);
          exchange.getResponseBody().flush();
          exchange.close();
        });
  }

  private void requireOnly(byte[] content) throws IOException {
    assertThat(output).hasBinaryContent(content);
    assertThat(Files.isRegularFile(output, LinkOption.NOFOLLOW_LINKS)).isTrue();
    assertThat(folder.toFile().list((_, name) -> !name.equals("home"))).containsExactly("a.img");
  }
}
