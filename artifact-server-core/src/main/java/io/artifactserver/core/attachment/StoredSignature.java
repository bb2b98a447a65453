package io.artifactserver.core.attachment;

import io.artifactserver.core.digest.Digest;

/**
 * A signature that is attached to an artifact. Its arrays are not copied: nobody changes them.
 *
 * <p>Not a record, because of its arrays.
 */
public final class StoredSignature {
  private final String path;
  private final Digest artifact;
  private final Digest sha256;
  private final byte[] content;
  private final byte[] digest;

  /**
   * @param path of the artifact
   * @param artifact SHA-256 of the artifact
   * @param sha256 of the content
   * @param digest of the artifact that the signature is made over; empty if the catalog has it
   */
  public StoredSignature(
      String path, Digest artifact, Digest sha256, byte[] content, byte[] digest) {
    this.path = path;
    this.artifact = artifact;
    this.sha256 = sha256;
    this.content = content;
    this.digest = digest;
  }

  /** Whether it is about these bytes at this path. */
  boolean isOf(String path, Digest artifact) {
    return this.path.equals(path) && this.artifact.equals(artifact);
  }

  /** SHA-256 of the content. */
  public Digest sha256() {
    return sha256;
  }

  /** Its bytes; not a copy. */
  public byte[] content() {
    return content;
  }

  /** The digest that it is made over; not a copy. Empty if the catalog has it. */
  public byte[] digest() {
    return digest;
  }
}
