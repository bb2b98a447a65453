package io.artifactserver.storage.document;

import io.artifactserver.core.attachment.AttachmentKind;
import io.artifactserver.core.attachment.BadDocumentException;
import io.artifactserver.core.attachment.DocumentReader;
import io.artifactserver.core.digest.Digest;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Recognises the format of a document, looks through it, and has the library of the format read it.
 * One at a time: a document of 4 MB takes some 100 MB while it is read. Thread-safe.
 */
public final class LibraryDocumentReader implements DocumentReader {
  private static final Logger LOG = LoggerFactory.getLogger(LibraryDocumentReader.class);

  /** Longest name of a vulnerability, in characters. */
  private static final int MAX_NAME = 63;

  static final int MAX_AFFECTED = 10_000;

  private final Lock lock = new ReentrantLock();
  private final CycloneDxDocuments cycloneDx = new CycloneDxDocuments();
  private final SpdxDocuments spdx = new SpdxDocuments();

  @Override
  public Document read(AttachmentKind kind, byte[] content, Digest artifact)
      throws BadDocumentException {
    return switch (kind) {
      case SBOM, VEX -> {
        lock.lock();
        try {
          yield bounded(parse(kind, content, artifact));
        } catch (RuntimeException | StackOverflowError e) {
          // The libraries meet some broken documents with exceptions of every kind, and expressions
          // of licences with a call for each bracket.
          LOG.debug("A library could not read a document", e);
          throw new BadDocumentException(
              1, "The format's library cannot read it (%s)".formatted(e.getMessage()));
        } finally {
          lock.unlock();
        }
      }
      case SIGNATURE, PROVENANCE, NOTES -> Document.UNREAD;
    };
  }

  private Document parse(AttachmentKind kind, byte[] content, Digest artifact)
      throws BadDocumentException {
    if (first(content) == '<') {
      String namespace = XmlDocument.namespace(content);
      if (namespace.startsWith(CycloneDxDocuments.NAMESPACE)) {
        return cycloneDx.read(namespace, content, artifact);
      }
      throw unknown(kind);
    }
    JsonDocument json = new JsonDocument(content);
    if (json.root().path("bomFormat").asText().equals(CycloneDxDocuments.NAME)) {
      return cycloneDx.read(json, content, artifact);
    }
    if (kind == AttachmentKind.SBOM && json.root().has("spdxVersion")) {
      return spdx.read(json, content);
    }
    if (kind == AttachmentKind.SBOM && SpdxDocuments.isVersion3(json)) {
      return Document.UNREAD;
    }
    if (kind == AttachmentKind.VEX && CsafDocument.isOne(json)) {
      return CsafDocument.read(json, artifact);
    }
    if (kind == AttachmentKind.VEX
        && json.root().path("@context").asText().startsWith(OpenVexDocuments.NAMESPACE)) {
      return OpenVexDocuments.read(json, artifact);
    }
    throw unknown(kind);
  }

  private static Document bounded(Document document) throws BadDocumentException {
    if (document.affected().size() > MAX_AFFECTED) {
      throw tooMany();
    }
    for (Affected each : document.affected()) {
      String name = each.vulnerability();
      if (name.isBlank()
          || name.length() > MAX_NAME
          || name.chars().anyMatch(Character::isISOControl)) {
        throw new BadDocumentException(
            1, "A vulnerability's name has 1 to %d characters".formatted(MAX_NAME));
      }
    }
    return document;
  }

  static BadDocumentException tooMany() {
    return new BadDocumentException(
        1, "A VEX names at most %d affected artifacts".formatted(MAX_AFFECTED));
  }

  /** The first byte behind blanks and the mark of UTF-8; 0 if there is none. */
  private static int first(byte[] content) {
    for (byte each : content) {
      if (each > ' ') {
        return each;
      }
    }
    return 0;
  }

  private static BadDocumentException unknown(AttachmentKind kind) {
    return new BadDocumentException(
        1,
        switch (kind) {
          case SBOM -> "An SBOM is CycloneDX in JSON or XML, or SPDX in JSON";
          case VEX -> "A VEX is CycloneDX in JSON or XML, or OpenVEX or CSAF in JSON";
          case SIGNATURE, PROVENANCE, NOTES -> "It is not read";
        });
  }
}
