package io.artifactserver.core.access;

import io.artifactserver.core.catalog.Labels;

/**
 * What an operator says of a token. Immutable.
 *
 * @param name the operator's own words for it
 * @param description more of them; may be empty
 * @param labels by which stages tell devices apart
 */
public record TokenWords(String name, String description, Labels labels) {
  /** A name alone. */
  public static TokenWords of(String name) {
    return new TokenWords(name, "", Labels.NONE);
  }

  TokenWords with(Labels newLabels) {
    return new TokenWords(name, description, newLabels);
  }
}
