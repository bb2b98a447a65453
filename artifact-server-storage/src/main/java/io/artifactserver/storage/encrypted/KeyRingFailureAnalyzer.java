package io.artifactserver.storage.encrypted;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Shows an operator the message of a {@link KeyRingException} in place of a stack trace. */
final class KeyRingFailureAnalyzer extends AbstractFailureAnalyzer<KeyRingException> {
  @Override
  protected @Nullable FailureAnalysis analyze(Throwable rootFailure, KeyRingException cause) {
    return new FailureAnalysis(String.valueOf(cause.getMessage()), null, cause);
  }
}
