package io.artifactserver.core.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

import java.nio.charset.StandardCharsets;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class NameRulesTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "a",
        "firmware.raucb",
        "edge/v1/firmware.raucb",
        "a b",
        "..a",
        "a..",
        "...",
        ".hidden",
        "a/.b/..c",
        "%2e%2e",
        "caf\u00e9",
        "\uD83D\uDE80.bin",
        "a\u00a0b",
        "~",
        "?&#"
      })
  void acceptsPath(String path) {
    ArtifactId id = new ArtifactId("edge", path);
    assertThat(id.toString()).isEqualTo("edge/" + path);
    assertThat(path).endsWith(id.fileName());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "/",
        "/a",
        "a/",
        "a//b",
        ".",
        "..",
        "./a",
        "../a",
        "a/.",
        "a/..",
        "a/./b",
        "a/../b",
        "a\\b",
        "\\",
        "a\uD83D",
        "\uDE80a",
        "\uDE80\uD83D",
        "\uD83D/\uDE80"
      })
  void refusesPath(String path) {
    assertThatExceptionOfType(InvalidNameException.class)
        .isThrownBy(() -> new ArtifactId("edge", path));
  }

  /** C0, DEL and C1: they would split a header or a log line. */
  static IntStream controlCharacters() {
    return IntStream.concat(IntStream.range(0, 0x20), IntStream.rangeClosed(0x7f, 0x9f));
  }

  @ParameterizedTest
  @MethodSource("controlCharacters")
  void refusesControlCharacter(int control) {
    assertThatExceptionOfType(InvalidNameException.class)
        .isThrownBy(() -> new ArtifactId("edge", "a" + (char) control + "b"))
        .withMessageContaining("U+%04X".formatted(control));
  }

  static Stream<String> pathsOf1024Bytes() {
    return Stream.of(
        "a".repeat(1024),
        "\u00e9".repeat(512),
        "\u20ac".repeat(341) + "a",
        "\uD83D\uDE80".repeat(256),
        "a/".repeat(511) + "aa");
  }

  @ParameterizedTest
  @MethodSource("pathsOf1024Bytes")
  void measuresThePathInBytes(String path) {
    assertThat(path.getBytes(StandardCharsets.UTF_8)).hasSize(1024);
    assertThatNoException().isThrownBy(() -> new ArtifactId("edge", path));
    assertThatExceptionOfType(InvalidNameException.class)
        .isThrownBy(() -> new ArtifactId("edge", path + "a"))
        .withMessageContaining("1024");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "A", "0", "edge", "a.b_c-d", "9-", "a..b"})
  void acceptsRepository(String name) {
    assertThat(Repository.requireName(name)).isEqualTo(name);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", ".", "..", ".a", "_a", "-a", "a/b", "a b", "a\nb", "caf\u00e9", "a\\b", "a%"})
  void refusesRepository(String name) {
    assertThatExceptionOfType(InvalidNameException.class)
        .isThrownBy(() -> Repository.requireName(name));
    assertThatExceptionOfType(InvalidNameException.class)
        .isThrownBy(() -> new ArtifactId(name, "a"));
  }

  @Test
  void measuresTheRepositoryInCharacters() {
    assertThatNoException().isThrownBy(() -> Repository.requireName("a".repeat(128)));
    assertThatExceptionOfType(InvalidNameException.class)
        .isThrownBy(() -> Repository.requireName("a".repeat(129)))
        .withMessageContaining("129");
  }
}
