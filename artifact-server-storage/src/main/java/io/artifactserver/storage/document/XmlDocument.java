package io.artifactserver.storage.document;

import io.artifactserver.core.attachment.BadDocumentException;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * Looks through XML before a library parses it: UTF-8 only, no document type, hence no entities,
 * and not too deep. So it does not depend on how each parser of the library was set up. Pure
 * functions.
 */
final class XmlDocument {
  private XmlDocument() {}

  /**
   * Returns the namespace of the root element.
   *
   * @throws BadDocumentException if the document is not well-formed, or has a document type
   */
  static String namespace(byte[] content) throws BadDocumentException {
    // The JDK's, whatever else is on the class path.
    XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
    factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
    factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
    factory.setProperty(XMLInputFactory.IS_REPLACING_ENTITY_REFERENCES, false);
    try {
      XMLStreamReader reader = factory.createXMLStreamReader(new StringReader(text(content)));
      try {
        return namespace(reader);
      } finally {
        reader.close();
      }
    } catch (XMLStreamException e) {
      throw new BadDocumentException(
          e.getLocation() == null ? 1 : Math.max(1, e.getLocation().getLineNumber()),
          "It is not well-formed XML");
    }
  }

  private static String text(byte[] content) throws BadDocumentException {
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(content)).toString();
      return text.startsWith("\uFEFF") ? text.substring(1) : text;
    } catch (CharacterCodingException e) {
      throw new BadDocumentException(1, "It is no text in UTF-8");
    }
  }

  private static String namespace(XMLStreamReader reader)
      throws XMLStreamException, BadDocumentException {
    String encoding = reader.getCharacterEncodingScheme();
    if (encoding != null && !encoding.equalsIgnoreCase(StandardCharsets.UTF_8.name())) {
      throw new BadDocumentException(1, "The encoding is UTF-8, not " + encoding);
    }
    String namespace = "";
    int depth = 0;
    while (reader.hasNext()) {
      int event = reader.next();
      int line = reader.getLocation().getLineNumber();
      switch (event) {
        case XMLStreamConstants.DTD ->
            throw new BadDocumentException(line, "A document type (DOCTYPE) is not taken");
        case XMLStreamConstants.ENTITY_REFERENCE ->
            throw new BadDocumentException(line, "An entity is not taken");
        case XMLStreamConstants.START_ELEMENT -> {
          if (depth == 0) {
            namespace = reader.getNamespaceURI() == null ? "" : reader.getNamespaceURI();
          }
          depth++;
          if (depth > JsonDocument.MAX_DEPTH) {
            throw new BadDocumentException(
                line, "Elements are nested deeper than " + JsonDocument.MAX_DEPTH);
          }
        }
        case XMLStreamConstants.END_ELEMENT -> depth--;
        default -> {
          // Text, comments and instructions.
        }
      }
    }
    return namespace;
  }
}
