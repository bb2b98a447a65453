package io.artifactserver.storage.document;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.Error;
import com.networknt.schema.ExecutionContextCustomizer;
import com.networknt.schema.Schema;
import io.artifactserver.core.attachment.BadDocumentException;
import io.artifactserver.core.attachment.DocumentReader.Affected;
import io.artifactserver.core.attachment.DocumentReader.Document;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.xml.XMLConstants;
import javax.xml.transform.stream.StreamSource;
import javax.xml.validation.Validator;
import org.cyclonedx.Format;
import org.cyclonedx.Version;
import org.cyclonedx.exception.ParseException;
import org.cyclonedx.model.Bom;
import org.cyclonedx.model.Component;
import org.cyclonedx.model.Hash;
import org.cyclonedx.model.vulnerability.Vulnerability;
import org.cyclonedx.parsers.JsonParser;
import org.cyclonedx.parsers.Parser;
import org.cyclonedx.parsers.XmlParser;
import org.jspecify.annotations.Nullable;
import org.xml.sax.SAXException;
import org.xml.sax.SAXParseException;
import org.xml.sax.helpers.DefaultHandler;

/**
 * Reads CycloneDX by its own library, against its schemas, which the library brings. Thread-safe.
 */
final class CycloneDxDocuments {
  static final String NAME = "CycloneDX";
  static final String NAMESPACE = "http://cyclonedx.org/schema/bom/";

  /** Compiling one takes longer than most documents. */
  private final ConcurrentMap<Version, Schema> schemas = new ConcurrentHashMap<>();

  /** Reads a document in JSON. */
  Document read(JsonDocument json, byte[] content, Digest artifact) throws BadDocumentException {
    String named = json.root().path("specVersion").asText("");
    Version version =
        version(named)
            .filter(each -> each.getFormats().contains(Format.JSON))
            .orElseThrow(() -> new BadDocumentException(json.line("/specVersion"), unknown(named)));
    JsonParser parser = new JsonParser();
    // Each of a million faults would be kept.
    ExecutionContextCustomizer untilFirst =
        (context, _) -> context.executionConfig(config -> config.failFast(true));
    for (Error error : schema(parser, version).validate(json.root(), untilFirst)) {
      String place = error.getInstanceLocation().toString();
      throw new BadDocumentException(
          json.line(place), "\"%s\" is not valid: %s".formatted(place, error.getMessage()));
    }
    return document(version, bom(parser, content), artifact);
  }

  /** Reads a document in XML, which {@link XmlDocument} has looked through. */
  Document read(String namespace, byte[] content, Digest artifact) throws BadDocumentException {
    String named = namespace.substring(NAMESPACE.length());
    Version version = version(named).orElseThrow(() -> new BadDocumentException(1, unknown(named)));
    XmlParser parser = new XmlParser();
    try {
      Validator validator = parser.getXmlSchema(version).newValidator();
      validator.setProperty(XMLConstants.ACCESS_EXTERNAL_DTD, "");
      validator.setProperty(XMLConstants.ACCESS_EXTERNAL_SCHEMA, "");
      // The library's own validation keeps an exception for each of a million faults.
      validator.setErrorHandler(new FirstFault());
      validator.validate(new StreamSource(new ByteArrayInputStream(content)));
    } catch (SAXParseException e) {
      throw new BadDocumentException(
          Math.max(1, e.getLineNumber()), String.valueOf(e.getMessage()));
    } catch (SAXException | IOException e) {
      throw new BadDocumentException(1, String.valueOf(e.getMessage()));
    }
    return document(version, bom(parser, content), artifact);
  }

  private Schema schema(JsonParser parser, Version version) {
    return schemas.computeIfAbsent(
        version,
        each -> {
          try {
            return parser.getJsonSchema(each, new ObjectMapper());
          } catch (IOException e) {
            throw new IllegalStateException("The schema of CycloneDX " + each + " is missing", e);
          }
        });
  }

  private static Bom bom(Parser parser, byte[] content) throws BadDocumentException {
    try {
      return parser.parse(content);
    } catch (ParseException e) {
      throw new BadDocumentException(1, String.valueOf(e.getMessage()));
    }
  }

  private static Optional<Version> version(String named) {
    return Stream.of(Version.values())
        .filter(version -> version.getVersionString().equals(named))
        .findFirst();
  }

  private static String unknown(String version) {
    return "CycloneDX \"%s\" is not known here; these are: %s"
        .formatted(
            version,
            Stream.of(Version.values())
                .map(Version::getVersionString)
                .collect(Collectors.joining(", ")));
  }

  private static Document document(Version version, Bom bom, Digest artifact) {
    Map<String, Digest> digests = new HashMap<>();
    if (bom.getMetadata() != null) {
      collect(digests, bom.getMetadata().getComponent());
    }
    for (Component component : some(bom.getComponents())) {
      collect(digests, component);
    }
    List<Affected> affected = new ArrayList<>();
    for (Vulnerability vulnerability : some(bom.getVulnerabilities())) {
      if (vulnerability.getId() != null && isAffecting(vulnerability)) {
        List<Digest> named =
            some(vulnerability.getAffects()).stream()
                .map(affect -> digests.get(affect.getRef()))
                .filter(Objects::nonNull)
                .toList();
        for (Digest each : named.isEmpty() ? List.of(artifact) : named) {
          affected.add(new Affected(vulnerability.getId(), each));
        }
      }
    }
    return new Document(NAME + ' ' + version.getVersionString(), affected);
  }

  private static boolean isAffecting(Vulnerability vulnerability) {
    return vulnerability.getAnalysis() != null
        && vulnerability.getAnalysis().getState() == Vulnerability.Analysis.State.EXPLOITABLE;
  }

  private static void collect(Map<String, Digest> digests, @Nullable Component component) {
    if (component == null) {
      return;
    }
    if (component.getBomRef() != null) {
      some(component.getHashes()).stream()
          .filter(hash -> "SHA-256".equals(hash.getAlgorithm()))
          .map(Hash::getValue)
          .findFirst()
          .ifPresent(hex ->
              digests.put(
                  component.getBomRef(),
                  new Digest(DigestAlgorithm.SHA_256, hex.toLowerCase(Locale.ROOT))));
    }
    for (Component inner : some(component.getComponents())) {
      collect(digests, inner);
    }
  }

  private static <T> List<T> some(@Nullable List<T> list) {
    return list == null ? List.of() : list;
  }

  /** Ends the validation with the first fault. */
  private static final class FirstFault extends DefaultHandler {
    @Override
    public void error(SAXParseException fault) throws SAXParseException {
      throw fault;
    }
  }
}
