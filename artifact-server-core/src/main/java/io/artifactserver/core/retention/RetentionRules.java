package io.artifactserver.core.retention;

import io.artifactserver.core.digest.DigestAlgorithm;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;

/**
 * The rules of a repository. Immutable.
 *
 * @param rules no two of them for the same paths
 */
public record RetentionRules(List<RetentionRule> rules) {
  /** Most rules of a repository. */
  public static final int MAX_RULES = 100;

  /**
   * @throws IllegalArgumentException if there are too many, or two rules are for the same paths
   */
  public RetentionRules {
    rules = List.copyOf(rules);
    if (rules.size() > MAX_RULES) {
      throw new IllegalArgumentException("A repository has at most %d rules".formatted(MAX_RULES));
    }
    for (int i = 0; i < rules.size(); i++) {
      for (RetentionRule before : rules.subList(0, i)) {
        if (before.overlaps(rules.get(i))) {
          throw new IllegalArgumentException(
              "Two rules are for the same paths: those of \"%s\" and \"%s\""
                  .formatted(before.folder(), rules.get(i).folder()));
        }
      }
    }
  }

  /** A text that other rules do not have: it proves that somebody has seen these. */
  public String revision() {
    byte[] text = rules.toString().getBytes(StandardCharsets.UTF_8);
    return HexFormat.of().formatHex(DigestAlgorithm.SHA_256.newMessageDigest().digest(text), 0, 16);
  }
}
