package io.artifactserver.core.migrate;

/**
 * The result of a migration, in counts of blobs. Immutable.
 *
 * @param copied and verified
 * @param present in the target before, with the same length
 * @param unknown to the catalog: left by a crash, or still being uploaded
 * @param gone deleted while the migration ran
 * @param failed not copied; the observer was told why
 */
public record MigrationResult(long copied, long present, long unknown, long gone, long failed) {
  /** Whether the target has every blob that the source has and the catalog knows. */
  public boolean isComplete() {
    return failed == 0;
  }
}
