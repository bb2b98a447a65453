package io.artifactserver.core.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PathRangeTest {
  @Test
  void theSuccessorIsTheNextCodePoint() {
    assertThat(end("a")).isEqualTo("b");
    assertThat(end("a/")).isEqualTo("a0");
    assertThat(end("\uD7FF")).isEqualTo("\uE000");
    assertThat(end("\uFFFF")).isEqualTo(Character.toString(0x10000));
    assertThat(end("a" + Character.toString(0x10FFFF))).isEqualTo("b");
  }

  @Test
  void nothingIsBehindTheLastCodePointButTheEnd() {
    assertThat(end("")).isEqualTo(PathRange.END);
    assertThat(end(Character.toString(0x10FFFF))).isEqualTo(PathRange.END);
  }

  @Test
  void twoRangesHaveThePathsOfBoth() {
    PathRange below = PathRange.beginningWith("a/");
    assertThat(below.and(PathRange.beginningWith("a"))).contains(below);
    assertThat(PathRange.beginningWith("").and(below)).contains(below);
    assertThat(below.and(PathRange.beginningWith("a/b/")))
        .contains(PathRange.beginningWith("a/b/"));
    assertThat(below.and(PathRange.only("a"))).isEmpty();
    assertThat(below.and(PathRange.beginningWith("b"))).isEmpty();
  }

  @Test
  void onePathIsInItsRange() {
    PathRange only = PathRange.only("a");
    assertThat(only.includes("a")).isTrue();
    for (String other : new String[] {"", "a ", "a/", "aa", "b", "A"}) {
      assertThat(only.includes(other)).as(other).isFalse();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"\uD800", "a\uDC00", "\u0000"})
  void whatNoPathHasIsRefused(String text) {
    assertThatThrownBy(() -> PathRange.requireText(text)).isInstanceOf(InvalidNameException.class);
  }

  private static String end(String prefix) {
    return PathRange.beginningWith(prefix).end();
  }
}
