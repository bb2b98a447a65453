package io.artifactserver.core.attachment;

import io.artifactserver.core.digest.Digest;
import java.util.List;

/** Reads documents whose kind has formats that are known here. Thread-safe; asks no network. */
public interface DocumentReader {
  /**
   * Reads a document. Takes processor time, and memory of many times its length: documents wait for
   * each other.
   *
   * @param artifact that the document is about, as far as it names no other
   * @throws BadDocumentException if it is broken, or in no known format
   */
  Document read(AttachmentKind kind, byte[] content, Digest artifact) throws BadDocumentException;

  /**
   * The content of a document, as far as it is used. Immutable.
   *
   * @param format with its version
   * @param affected artifacts, as a VEX says
   */
  record Document(String format, List<Affected> affected) {
    /** A document of a kind that is not read. */
    public static final Document UNREAD = new Document("", List.of());

    public Document {
      affected = List.copyOf(affected);
    }
  }

  /**
   * An artifact that a vulnerability affects.
   *
   * @param vulnerability by name, such as {@code CVE-2026-1234}
   * @param sha256 of the artifact
   */
  record Affected(String vulnerability, Digest sha256) {}
}
