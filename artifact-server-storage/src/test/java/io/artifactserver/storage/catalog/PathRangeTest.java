package io.artifactserver.storage.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.artifactserver.core.catalog.InvalidNameException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PathRangeTest {
  @Test
  void theSuccessorIsTheNextCodePoint() {
    assertThat(PathRange.successor("a")).isEqualTo("b");
    assertThat(PathRange.successor("a/")).isEqualTo("a0");
    assertThat(PathRange.successor("\uD7FF")).isEqualTo("\uE000");
    assertThat(PathRange.successor("\uFFFF")).isEqualTo(Character.toString(0x10000));
    assertThat(PathRange.successor("a" + Character.toString(0x10FFFF))).isEqualTo("b");
  }

  @Test
  void nothingIsBehindTheLastCodePointButTheEnd() {
    assertThat(PathRange.successor("")).isEqualTo(PathRange.END);
    assertThat(PathRange.successor(Character.toString(0x10FFFF))).isEqualTo(PathRange.END);
  }

  @ParameterizedTest
  @ValueSource(strings = {"\uD800", "a\uDC00", "\u0000"})
  void whatNoPathHasIsRefused(String text) {
    assertThatThrownBy(() -> PathRange.requireText(text)).isInstanceOf(InvalidNameException.class);
  }
}
