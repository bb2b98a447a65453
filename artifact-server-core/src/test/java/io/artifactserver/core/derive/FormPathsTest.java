package io.artifactserver.core.derive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FormPathsTest {
  @ParameterizedTest
  @CsvSource({
    "*, a, true",
    "*, a/b, true",
    "a, a, true",
    "a, ab, false",
    "a, b, false",
    "fw/*, fw/x/y.img, true",
    "fw/*, fw, false",
    "*.img, fw/os.img, true",
    "*.img, fw/os.img.sig, false",
    "fw/*/os.img, fw/1/os.img, true",
    "fw/*/os.img, fw/os.img, false",
    "a*b*c, aXbbYc, true",
    "a*b*c, acb, false",
    "a**b, ab, true",
    "a_%, a_%, true",
    "a_%, abc, false",
    "a\\, a\\, true",
  })
  void includes(String pattern, String path, boolean isIncluded) {
    assertThat(new FormPaths(List.of("none", pattern)).includes(path)).isEqualTo(isIncluded);
  }

  /** A regular expression would try for ever. */
  @Test
  void isQuickWithAnyPattern() {
    String pattern = "a*".repeat(400) + "b";
    assertThat(new FormPaths(List.of(pattern)).includes("a".repeat(1000))).isFalse();
  }

  @Test
  void noneIncludesNothing() {
    assertThat(new FormPaths(List.of()).includes("a")).isFalse();
    assertThat(FormPaths.ALL.includes("a/b")).isTrue();
  }

  @Test
  void hasBounds() {
    for (String pattern : List.of("", "/a", "a".repeat(1025))) {
      assertThatIllegalArgumentException().isThrownBy(() -> new FormPaths(List.of(pattern)));
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new FormPaths(Collections.nCopies(101, "a")));
  }
}
