package io.artifactserver.core.derive;

import java.util.List;
import java.util.Optional;

/**
 * Which forms are made of which blobs. Immutable, thread-safe.
 *
 * @param forms that are made; empty if none are
 * @param minLength of a blob, in bytes
 * @param maxLength of a blob, in bytes
 */
public record DerivationRules(List<DerivedForm> forms, long minLength, long maxLength) {
  public DerivationRules {
    forms = List.copyOf(forms);
  }

  /** Whether forms are made of a blob of this length. */
  public boolean suits(long length) {
    return !forms.isEmpty() && length >= minLength && length <= maxLength;
  }

  /** The form that is an index of chunks, if it is made. */
  public Optional<DerivedForm.Chunked> chunked() {
    return forms.stream()
        .filter(DerivedForm.Chunked.class::isInstance)
        .map(DerivedForm.Chunked.class::cast)
        .findFirst();
  }
}
