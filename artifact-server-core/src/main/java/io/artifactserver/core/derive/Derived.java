package io.artifactserver.core.derive;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.digest.Digest;
import java.time.Instant;

/** The state of one form of a blob, as the catalog knows it. Immutable. */
public sealed interface Derived {
  /** The name of the form. */
  String form();

  /**
   * The form is kept.
   *
   * @param blob where its bytes are; encrypted if the blob that it was computed from is
   * @param sha256 of the form's plain bytes
   * @param createdAt when it was computed
   */
  record Stored(String form, BlobRef blob, Digest sha256, Instant createdAt) implements Derived {}

  /** The form is not made, because the content gains nothing by it. */
  record Skipped(String form) implements Derived {}
}
