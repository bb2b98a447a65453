package io.artifactserver.rest.access.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.artifactserver.core.access.LinkRefusedException;
import io.artifactserver.core.access.LinkTerms;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.command.Command;
import io.artifactserver.rest.command.Commands;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command beside the server whose folder it shares. */
class SignCommandTest {
  private static final Instant NOW = Instant.parse("2026-11-24T12:00:00Z");
  private static final ArtifactId ARTIFACT = new ArtifactId("boards", "a b/fw.img");

  @TempDir private Path folder;

  private final ByteArrayOutputStream output = new ByteArrayOutputStream();
  private final ByteArrayOutputStream errors = new ByteArrayOutputStream();

  @Test
  void isFoundByItsName() {
    assertThat(ServiceLoader.load(Command.class)).anyMatch(SignCommand.class::isInstance);
  }

  @Test
  void printsALinkThatTheServerAccepts() throws Exception {
    Links links = links();
    assertThat(run("boards", "a b/fw.img", "--expires=1h", "--device=d1", "--rate=5")).isZero();
    String url = text(output);
    assertThat(url).startsWith("/artifacts/boards/a%20b/fw.img?as-method=GET&as-expires=");
    LinkTerms terms = links.verify(ARTIFACT, query(url), "GET").terms();
    assertThat(terms)
        .isEqualTo(
            new LinkTerms(ARTIFACT, LinkTerms.Method.GET, NOW.getEpochSecond() + 3600, 0, 5, "d1"));
    assertThat(links.url(terms)).isEqualTo(url);
  }

  @Test
  void aRunningServerFollowsRotationAndRevocation() throws Exception {
    Links links = links();
    String first = links.keys().signing().id();
    assertThat(run("boards", "a b/fw.img", "--expires=1h")).isZero();
    String link = query(text(output));
    assertThat(run("--rotate")).isZero();
    noticeAndRefresh(links);
    assertThat(links.keys().signing().id()).isNotEqualTo(first);
    assertThatCode(() -> links.verify(ARTIFACT, link, "GET")).doesNotThrowAnyException();
    assertThat(run("--revoke=" + first)).isZero();
    noticeAndRefresh(links);
    assertThatExceptionOfType(LinkRefusedException.class)
        .isThrownBy(() -> links.verify(ARTIFACT, link, "GET"));
    // And after a restart.
    Links restarted = links();
    assertThatExceptionOfType(LinkRefusedException.class)
        .isThrownBy(() -> restarted.verify(ARTIFACT, link, "GET"));
  }

  @Test
  void aFileThatHoldsSomethingElseChangesNothing() throws Exception {
    Links links = links();
    String link = query(links.url(terms()));
    Files.writeString(folder.resolve("link-keys"), "nonsense");
    noticeAndRefresh(links);
    assertThatCode(() -> links.verify(ARTIFACT, link, "GET")).doesNotThrowAnyException();
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(this::links)
        .withMessageContaining("put it back from a backup");
  }

  @Test
  void theKeysAreTheirOwnersAlone() throws Exception {
    links();
    Path file = folder.resolve("link-keys");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    String secret = Files.readString(file).split(" ")[1];
    assertThat(run("--list")).isZero();
    assertThat(run("--rotate")).isZero();
    assertThat(text(output) + text(errors)).doesNotContain(secret);
  }

  @Test
  void saysWhatIsWrong() throws Exception {
    links();
    for (List<String> arguments :
        List.of(
            List.<String>of(),
            List.of("boards", "x"),
            List.of("boards", "x", "--expires=yesterday"),
            List.of("boards", "x", "--expires=2020-01-01T00:00:00Z"),
            List.of("boards", "../x", "--expires=1h"),
            List.of("boards", "x", "--expires=1h", "--method=PUT"),
            List.of("boards", "x", "--expires=1h", "--rate=-1"),
            List.of("boards", "x", "--expires=1h", "--devise=x"))) {
      errors.reset();
      assertThat(run(arguments.toArray(String[]::new))).as("%s", arguments).isEqualTo(2);
      assertThat(text(errors)).isNotBlank();
    }
    assertThat(run("--revoke=00000000")).isEqualTo(1);
    assertThat(run("--artifact-server.data-dir=" + folder.resolve("absent"), "--list"))
        .isEqualTo(1);
    assertThat(text(errors)).contains("link-keys");
  }

  private Links links() throws IOException {
    return new Links(
        folder, new LinkProperties(Duration.ofDays(7), Duration.ZERO, Set.of()), () -> NOW);
  }

  private static LinkTerms terms() {
    return new LinkTerms(ARTIFACT, LinkTerms.Method.GET, NOW.getEpochSecond() + 60, 0, 0, "");
  }

  /** As the timer does it; two changes may fall into one tick of the file system's clock. */
  private void noticeAndRefresh(Links links) throws IOException {
    Path file = folder.resolve("link-keys");
    FileTime time = Files.getLastModifiedTime(file);
    Files.setLastModifiedTime(file, FileTime.from(time.toInstant().plusSeconds(1)));
    links.refresh();
  }

  private int run(String... arguments) {
    output.reset();
    return Commands.line(
            new SignCommand(() -> NOW), Map.of("ARTIFACTSERVER_DATADIR", folder.toString()))
        .setOut(new PrintWriter(output, true, StandardCharsets.UTF_8))
        .setErr(new PrintWriter(errors, true, StandardCharsets.UTF_8))
        .execute(arguments);
  }

  private static String query(String url) {
    return url.substring(url.indexOf('?') + 1);
  }

  private static String text(ByteArrayOutputStream stream) {
    return stream.toString(StandardCharsets.UTF_8).strip();
  }
}
