package io.artifactserver.core.access;

/** The acts that a caller is allowed within its scope. Each role may download. */
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
