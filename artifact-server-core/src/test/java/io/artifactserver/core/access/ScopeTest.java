package io.artifactserver.core.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.PathRange;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ScopeTest {
  @ParameterizedTest
  @CsvSource({
    "stable,       stable/fw.img,    true",
    "stable,       stable,           true",
    "stable/,      stable/a/b,       true",
    "stable,       stable2/fw.img,   false",
    "stable,       unstable/fw.img,  false",
    "stable,       Stable/fw.img,    false",
    "a/b,          a/b/c,            true",
    "a/b,          a/bc,             false",
    "a/b,          a,                false",
    "fw-*,         fw-2.img,         true",
    "fw-*,         fw-2/x,           true",
    "fw-*,         fw2.img,          false",
    "*,            anything/at/all,  true",
  })
  void aPrefixIsOfWholeSegmentsUnlessItEndsInAStar(String prefix, String path, boolean isIn) {
    Scope scope = new Scope(Set.of("boards"), Set.of(prefix));
    assertThat(scope.includes(new ArtifactId("boards", path))).isEqualTo(isIn);
    assertThat(scope.includes(new ArtifactId("boards2", path))).isFalse();
  }

  /** Every scope of up to three of these prefixes, with each of them as what is asked for. */
  @Test
  void rangesHaveWhatTheScopeHasAndNoneOverlaps() {
    List<String> paths =
        Stream.of("a", "b", "/", "-", "\uFFFD", Character.toString(0x1F600))
            .flatMap(x -> Stream.of("a", "b", "/", "").map(y -> x + y))
            .flatMap(xy -> Stream.of("a", "*", "/b").map(z -> xy + z))
            .filter(path -> !path.startsWith("/") && !path.endsWith("/") && !path.contains("//"))
            .sorted(PathRange.BY_CODE_POINT)
            .toList();
    List<String> prefixes = List.of("a", "a/b", "ab", "a*", "aa*", "-", "\uFFFD*", "b/", "*");
    for (String first : prefixes) {
      for (String second : prefixes) {
        for (String third : prefixes) {
          Scope scope =
              new Scope(
                  Set.of(),
                  Stream.of(first, second, third).collect(Collectors.toUnmodifiableSet()));
          for (String asked : new String[] {"", "a", "a/", "aa", "b", "\uFFFD", "c"}) {
            List<String> found =
                scope.ranges(asked).stream()
                    .flatMap(range -> paths.stream().filter(range::includes))
                    .toList();
            assertThat(found)
                .as("%s of %s", asked, scope)
                .isEqualTo(
                    paths.stream()
                        .filter(path -> path.startsWith(asked))
                        .filter(path -> scope.includes(new ArtifactId("r", path)))
                        .toList());
          }
        }
      }
    }
    assertThat(Scope.ALL.ranges("a")).containsExactly(PathRange.beginningWith("a"));
  }

  @ParameterizedTest
  @CsvSource({
    "a/fw.img, a/fw.img, true",
    "a/fw.img, a/fw.img.sha256, false",
    "a/fw.img, a/fw.img2, false",
    "a/fw.img, a, false",
    "a/fw*, a/fw*, true",
    "a/fw*, a/fw2, false",
    "a/fw*, a/fw, false",
    "*, *, true",
    "*, a, false",
  })
  void theScopeOfAnArtifactHasNothingBesideIt(String path, String other, boolean isIn) {
    Scope scope = Scope.of(new ArtifactId("r", path));
    assertThat(scope.includes(new ArtifactId("r", other))).isEqualTo(isIn);
    assertThat(scope.includes(new ArtifactId("s", path))).isFalse();
  }

  @Test
  void contentOfARepositoryNeedsAllOfIt() {
    Scope some = new Scope(Set.of("boards"), Set.of("stable"));
    assertThat(some.includesSomeOf("boards")).isTrue();
    assertThat(some.includesAllOf("boards")).isFalse();
    Scope whole = Scope.of(Set.of("boards"));
    assertThat(whole.includesAllOf("boards")).isTrue();
    assertThat(whole.includesSomeOf("other")).isFalse();
    assertThat(Scope.ALL.includesAllOf("other")).isTrue();
  }

  @Test
  void onlyAnAdminIsAboveItsScope() {
    Scope scope = Scope.of(Set.of("boards"));
    ArtifactId other = new ArtifactId("other", "x");
    for (Role role : Role.values()) {
      Caller caller = new Caller("id", "name", role, scope);
      assertThat(caller.mayRead(other)).isEqualTo(role == Role.ADMIN);
      assertThat(caller.mayReadSomeOf("other")).isEqualTo(role == Role.ADMIN);
      assertThat(caller.mayReadAllOf("other")).isEqualTo(role == Role.ADMIN);
    }
  }

  @ParameterizedTest
  @CsvSource({"''", "/", "/stable"})
  void refusesPrefixesThatNothingHas(String prefix) {
    assertThatIllegalArgumentException().isThrownBy(() -> new Scope(Set.of(), Set.of(prefix)));
  }

  @Test
  void isBounded() {
    Set<String> many =
        IntStream.rangeClosed(0, Scope.MAX)
            .mapToObj(Integer::toString)
            .collect(Collectors.toUnmodifiableSet());
    assertThatIllegalArgumentException().isThrownBy(() -> new Scope(many, Set.of()));
    assertThatIllegalArgumentException().isThrownBy(() -> new Scope(Set.of(), many));
  }
}
