package io.artifactserver.storage.postgres;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Shows an operator the message of a {@link DatabaseStartException} in place of a stack trace. */
final class DatabaseStartFailureAnalyzer extends AbstractFailureAnalyzer<DatabaseStartException> {
  @Override
  protected @Nullable FailureAnalysis analyze(Throwable rootFailure, DatabaseStartException cause) {
    return new FailureAnalysis(
        cause.getMessage(),
        "Put right what the description names, or set artifact-server.database.url to a"
            + " PostgreSQL database of your own.",
        cause);
  }
}
