package io.artifactserver.rest.command.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.InvalidNameException;
import io.artifactserver.core.range.ByteRange;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Where files go, how they are cut, how long a retry waits, how a result reads. */
class TransferPlanTest {
  private static final ArtifactId ID = new ArtifactId("boards", "1.0/a.img");

  @ParameterizedTest
  @CsvSource({
    "boards/1.0/fw.img, 1, boards, 1.0/fw.img",
    "boards/1.0/, 1, boards, 1.0/a.img",
    "boards/1.0, 2, boards, 1.0/a.img",
    "boards/1.0//, 2, boards, 1.0/a.img",
    "boards/, 1, boards, a.img",
    "boards, 2, boards, a.img"
  })
  void aFileGoesToItsTargetOrBelow(String target, int files, String repository, String path) {
    assertThat(PushCommand.target(target, Path.of("build/a.img"), files))
        .isEqualTo(new ArtifactId(repository, path));
  }

  @ParameterizedTest
  @ValueSource(strings = {"boards", "/a", "boards/../a", "boards//a"})
  void anArtifactHasARepositoryAndAPath(String name) {
    assertThatExceptionOfType(InvalidNameException.class)
        .isThrownBy(() -> PushCommand.target(name, Path.of("a.img"), 1));
  }

  @Test
  void anOutputMayBeAFolderOrNone() {
    assertThat(Pull.output(ID, Optional.empty())).isEqualTo(Path.of("a.img"));
    assertThat(Pull.output(ID, Optional.of(Path.of("x.img")))).isEqualTo(Path.of("x.img"));
    assertThat(Pull.output(ID, Optional.of(Path.of("src")))).isEqualTo(Path.of("src/a.img"));
  }

  @Test
  void partsCoverTheFile() {
    for (long length : new long[] {32L << 20, (64L << 20) + 1, 1_000_000_007}) {
      for (int parts = 1; parts <= 32; parts++) {
        assertThat(PartSender.edge(length, parts, 0)).isZero();
        assertThat(PartSender.edge(length, parts, parts)).isEqualTo(length);
        for (int i = 0; i < parts; i++) {
          assertThat(PartSender.edge(length, parts, i))
              .isLessThan(PartSender.edge(length, parts, i + 1));
        }
      }
    }
  }

  @Test
  void piecesCoverWhatIsMissingInOrder() {
    List<ByteRange> missing =
        List.of(new ByteRange(0, 10), new ByteRange(100, 100_000_001), new ByteRange(1L << 33, 5));
    FetchedBytes covered = new FetchedBytes();
    long at = -1;
    Pieces cut = new Pieces(missing, 4);
    List<ByteRange> pieces =
        Stream.generate(cut::next)
            .takeWhile(Optional::isPresent)
            .map(Optional::orElseThrow)
            .toList();
    assertThat(cut.count()).isEqualTo(pieces.size());
    for (ByteRange piece : pieces) {
      assertThat(piece.position()).isGreaterThan(at);
      at = piece.position();
      covered.add(piece);
    }
    assertThat(covered.count()).isEqualTo(100_000_016);
    assertThat(pieces).hasSizeBetween(16, 20);
    assertThat(new Pieces(List.of(), 4).next()).isEmpty();
    assertThat(new Pieces(List.of(ByteRange.whole(Long.MAX_VALUE)), 4).next())
        .hasValue(new ByteRange(0, 32 << 20));
  }

  /** Java's words; its client may also let the connection time out. */
  @Test
  void aServerThatSpeaksNoTlsIsNotAskedAgain() {
    StringWriter errors = new StringWriter();
    PrintWriter out = new PrintWriter(errors, true);
    Console console = new Console(out, out, "push", 0, new ClientOptions());
    assertThatExceptionOfType(ClientException.class)
        .isThrownBy(() ->
            new Retries(console, () -> 0)
                .run(() -> {
                  throw new SSLException("Unrecognized SSL message, plaintext connection?");
                }))
        .withMessageContaining("http://");
    assertThat(errors.toString()).isEmpty();
  }

  @Test
  void waitsDoubleAndAreSpread() {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 100; i++) {
      assertThat(Retries.wait(1, Duration.ZERO, random)).isBetween(millis(250), millis(500));
      assertThat(Retries.wait(4, Duration.ZERO, random)).isBetween(millis(2_000), millis(4_000));
      assertThat(Retries.wait(60, Duration.ZERO, random)).isBetween(millis(15_000), millis(30_000));
      assertThat(Retries.wait(1, Duration.ofSeconds(7), random))
          .isBetween(millis(7_000), millis(7_500));
    }
  }

  @Test
  void aResultSaysHowItWasReached() {
    assertThat(outcome(64_000_000, 0, false).text())
        .isEqualTo(
            "a.img is boards/1.0/a.img: 64.0 MB, in 2.0 s (32.0 MB/s), SHA-256 abc verified");
    assertThat(outcome(0, 0, true).text())
        .isEqualTo("a.img is boards/1.0/a.img: 64.0 MB were there already, SHA-256 abc verified");
    assertThat(outcome(16_000_000, 48_000_000, false).text())
        .contains("of which 16.0 MB sent, 48.0 MB (75%) taken from the seed");
    assertThat(outcome(16_000_000, 0, false).json())
        .containsAllEntriesOf(
            Map.of(
                "status",
                "done",
                "bytes",
                64_000_000L,
                "transferred",
                16_000_000L,
                "seconds",
                2.0,
                "sha256",
                "abc",
                "verified",
                true));
    assertThat(outcome(0, 0, true).json()).containsEntry("status", "unchanged");
  }

  private static Outcome outcome(long transferred, long seeded, boolean wasThere) {
    return new Outcome(
        "push", "a.img", ID, 64_000_000, transferred, seeded, 2_000_000_000L, "abc", wasThere);
  }

  private static Duration millis(long millis) {
    return Duration.ofMillis(millis);
  }
}
