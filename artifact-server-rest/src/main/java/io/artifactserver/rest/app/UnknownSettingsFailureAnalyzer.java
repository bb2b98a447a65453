package io.artifactserver.rest.app;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Shows an operator the names in place of a stack trace. */
final class UnknownSettingsFailureAnalyzer
    extends AbstractFailureAnalyzer<UnknownSettingsException> {
  @Override
  protected @Nullable FailureAnalysis analyze(
      Throwable rootFailure, UnknownSettingsException cause) {
    return new FailureAnalysis(
        String.valueOf(cause.getMessage()), "Correct the names, or remove the settings.", cause);
  }
}
