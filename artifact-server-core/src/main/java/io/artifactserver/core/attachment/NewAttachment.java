package io.artifactserver.core.attachment;

import io.artifactserver.core.attachment.DocumentReader.Affected;
import java.util.List;

/**
 * An attachment with its content, which is not copied: nobody changes it any more.
 *
 * <p>Not a record, because of its arrays.
 */
public final class NewAttachment {
  private final Attachment attachment;
  private final byte[] content;
  private final byte[] digest;
  private final List<Affected> affected;

  /**
   * @param digest of the artifact that a signature is made over; empty if the catalog has it
   * @param affected artifacts, if it is a VEX
   */
  public NewAttachment(
      Attachment attachment, byte[] content, byte[] digest, List<Affected> affected) {
    this.attachment = attachment;
    this.content = content;
    this.digest = digest;
    this.affected = List.copyOf(affected);
  }

  /** Its description. */
  public Attachment attachment() {
    return attachment;
  }

  /** Its bytes; not a copy. */
  public byte[] content() {
    return content;
  }

  /** The digest that a signature is made over; not a copy. Empty if the catalog has it. */
  public byte[] digest() {
    return digest;
  }

  /** The artifacts that it calls affected. */
  public List<Affected> affected() {
    return affected;
  }
}
