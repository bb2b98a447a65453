package io.artifactserver.storage.folder;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Shows an operator the message instead of a stack trace. */
final class DataFolderFailureAnalyzer extends AbstractFailureAnalyzer<DataFolderException> {
  @Override
  protected @Nullable FailureAnalysis analyze(Throwable rootFailure, DataFolderException cause) {
    return new FailureAnalysis(String.valueOf(cause.getMessage()), null, cause);
  }
}
