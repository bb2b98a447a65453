package io.artifactserver.core.access;

/** What a caller may do within its scope. Each may download. */
public enum Role {
  /** Everything, everywhere. */
  ADMIN,
  /** Upload, delete, and sign links. */
  PUBLISHER,
  /** List and describe. */
  READER,
  /** Download, and nothing else. */
  DEVICE
}
