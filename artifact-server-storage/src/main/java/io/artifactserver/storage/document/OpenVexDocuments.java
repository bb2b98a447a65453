package io.artifactserver.storage.document;

import com.fasterxml.jackson.databind.JsonNode;
import io.artifactserver.core.attachment.BadDocumentException;
import io.artifactserver.core.attachment.DocumentReader.Affected;
import io.artifactserver.core.attachment.DocumentReader.Document;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Reads OpenVEX 0.2, for which there is no library in Java: who is affected, and nothing else. Pure
 * functions.
 */
final class OpenVexDocuments {
  static final String NAMESPACE = "https://openvex.dev/ns";

  private static final String NAME = "OpenVEX";
  private static final String AFFECTED = "affected";
  private static final Set<String> STATUSES =
      Set.of(AFFECTED, "not_affected", "fixed", "under_investigation");

  private OpenVexDocuments() {}

  static Document read(JsonDocument json, Digest artifact) throws BadDocumentException {
    JsonNode statements = json.root().path("statements");
    if (!statements.isArray() || statements.isEmpty()) {
      throw new BadDocumentException(json.line("/statements"), "\"statements\" is a list of some");
    }
    List<Affected> affected = new ArrayList<>();
    for (int i = 0; i < statements.size(); i++) {
      String place = "/statements/" + i;
      JsonNode statement = statements.get(i);
      String status = statement.path("status").asText("");
      if (!STATUSES.contains(status)) {
        throw new BadDocumentException(
            json.line(place + "/status"), "\"%s\" is no status of OpenVEX".formatted(status));
      }
      String vulnerability = vulnerability(statement.path("vulnerability"));
      if (vulnerability.isEmpty()) {
        throw new BadDocumentException(
            json.line(place), "A statement has the name of its vulnerability");
      }
      if (status.equals(AFFECTED)) {
        List<Digest> named = digests(json, place, statement.path("products"));
        for (Digest each : named.isEmpty() ? List.of(artifact) : named) {
          affected.add(new Affected(vulnerability, each));
        }
      }
    }
    return new Document(version(json.root().path("@context").asText()), affected);
  }

  private static String version(String context) {
    return context.length() > NAMESPACE.length() + 2
        ? NAME + ' ' + context.substring(NAMESPACE.length() + 2)
        : NAME;
  }

  private static String vulnerability(JsonNode node) {
    return node.isTextual() ? node.asText() : node.path("name").asText("");
  }

  private static List<Digest> digests(JsonDocument json, String place, JsonNode products)
      throws BadDocumentException {
    List<Digest> digests = new ArrayList<>();
    for (int i = 0; i < products.size(); i++) {
      String hex = products.get(i).path("hashes").path("sha-256").asText("");
      if (!hex.isEmpty()) {
        try {
          digests.add(new Digest(DigestAlgorithm.SHA_256, hex.toLowerCase(Locale.ROOT)));
        } catch (IllegalArgumentException _) {
          throw new BadDocumentException(
              json.line("%s/products/%d/hashes/sha-256".formatted(place, i)),
              "A SHA-256 has 64 hexadecimal digits");
        }
      }
    }
    return digests;
  }
}
