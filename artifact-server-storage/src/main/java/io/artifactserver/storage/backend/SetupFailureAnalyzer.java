package io.artifactserver.storage.backend;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Shows an operator the message of a {@link SetupException} in place of a stack trace. */
public final class SetupFailureAnalyzer extends AbstractFailureAnalyzer<SetupException> {
  @Override
  protected @Nullable FailureAnalysis analyze(Throwable rootFailure, SetupException cause) {
    return new FailureAnalysis(String.valueOf(cause.getMessage()), null, cause);
  }
}
