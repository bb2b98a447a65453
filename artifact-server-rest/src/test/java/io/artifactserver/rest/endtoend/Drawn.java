package io.artifactserver.rest.endtoend;

import io.artifactserver.core.nightly.Nightly;
import java.util.List;
import java.util.SplittableRandom;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The cases of a test that takes a minute for each, and has a seed. */
final class Drawn {
  private Drawn() {}

  /**
   * Returns the cases whose names match the pattern in a system property. Without it, a build takes
   * one that the seed draws, and the night all of them.
   */
  static Stream<String> from(List<String> all, String property, long seed) {
    String wanted = System.getProperty(property);
    if (wanted != null) {
      return all.stream().filter(Pattern.compile(wanted).asMatchPredicate());
    }
    return Nightly.IS_NOW
        ? all.stream()
        : Stream.of(all.get(new SplittableRandom(seed).nextInt(all.size())));
  }
}
