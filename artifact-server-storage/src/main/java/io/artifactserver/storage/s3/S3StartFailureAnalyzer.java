package io.artifactserver.storage.s3;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Shows an operator the message instead of a stack trace. */
final class S3StartFailureAnalyzer extends AbstractFailureAnalyzer<S3StartException> {
  @Override
  protected @Nullable FailureAnalysis analyze(Throwable rootFailure, S3StartException cause) {
    return new FailureAnalysis(String.valueOf(cause.getMessage()), null, cause);
  }
}
