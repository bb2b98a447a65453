package io.artifactserver.storage.remote.s3;

import io.artifactserver.core.blob.StorageException;
import java.io.IOException;

/**
 * An answer that does not fit the request, such as 404 for a stored blob or the bytes of another
 * range. Gateways give such answers on a bad day, so the request is worth another attempt. An
 * {@link IOException}, because the rule for {@link Attempts} repeats those.
 */
final class OddAnswer extends IOException {
  private static final long serialVersionUID = 1L;

  private final StorageException verdict;

  /**
   * @param verdict the failure that the answer means if it stays the same
   */
  OddAnswer(StorageException verdict) {
    super(verdict.getMessage(), verdict);
    this.verdict = verdict;
  }

  StorageException verdict() {
    return verdict;
  }
}
