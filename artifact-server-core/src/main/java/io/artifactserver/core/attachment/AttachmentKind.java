package io.artifactserver.core.attachment;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** The kinds of attachments. */
public enum AttachmentKind {
  /** The components of the artifact. It is parsed. */
  SBOM,

  /** Which vulnerabilities affect the artifact. It is parsed. */
  VEX,

  /** A voucher for the artifact's bytes. */
  SIGNATURE,

  /** How the artifact was built. It is stored as it is. */
  PROVENANCE,

  /** Words for people. They are stored as they are. */
  NOTES;

  /** The kind that a request names, if it is one. */
  public static Optional<AttachmentKind> of(String name) {
    return Stream.of(values()).filter(kind -> kind.toString().equals(name)).findFirst();
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
