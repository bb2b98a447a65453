package io.artifactserver.storage.document;

import com.fasterxml.jackson.databind.JsonNode;
import io.artifactserver.core.attachment.BadDocumentException;
import io.artifactserver.core.attachment.DocumentReader.Affected;
import io.artifactserver.core.attachment.DocumentReader.Document;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * A document of CSAF 2, for which there is no library in Java: which products are affected, the
 * SHA-256 of their files, and nothing else. Used by one thread.
 */
final class CsafDocument {
  private static final String NAME = "CSAF";
  private static final Set<String> VERSIONS = Set.of("2.0", "2.1");
  private static final List<String> AFFECTED =
      List.of("known_affected", "first_affected", "last_affected");

  private final JsonDocument json;

  /** SHA-256 of the files of each product, by the product's id. */
  private final Map<String, List<Digest>> files = new HashMap<>();

  /** Products that are others in some place, by their ids. */
  private final Map<String, String> others = new HashMap<>();

  private CsafDocument(JsonDocument json) {
    this.json = json;
  }

  static boolean isOne(JsonDocument json) {
    return json.root().path("document").has("csaf_version");
  }

  static Document read(JsonDocument json, Digest artifact) throws BadDocumentException {
    String version = json.root().path("document").path("csaf_version").asText("");
    if (!VERSIONS.contains(version)) {
      throw new BadDocumentException(
          json.line("/document/csaf_version"),
          "CSAF \"%s\" is not known here; 2.0 and 2.1 are".formatted(version));
    }
    CsafDocument document = new CsafDocument(json);
    JsonNode tree = json.root().path("product_tree");
    document.branches("/product_tree", tree);
    document.products("/product_tree/full_product_names", tree.path("full_product_names"));
    JsonNode relationships = tree.path("relationships");
    for (int i = 0; i < relationships.size(); i++) {
      JsonNode product = relationships.get(i).path("full_product_name");
      document.product("/product_tree/relationships/%d/full_product_name".formatted(i), product);
      document.others.put(
          product.path("product_id").asText(""),
          relationships.get(i).path("product_reference").asText(""));
    }
    return new Document(NAME + ' ' + version, document.affected(artifact));
  }

  private List<Affected> affected(Digest artifact) throws BadDocumentException {
    JsonNode vulnerabilities = json.root().path("vulnerabilities");
    if (!vulnerabilities.isArray() || vulnerabilities.isEmpty()) {
      throw new BadDocumentException(
          json.line("/vulnerabilities"), "\"vulnerabilities\" is a list of some");
    }
    List<Affected> affected = new ArrayList<>();
    for (int i = 0; i < vulnerabilities.size(); i++) {
      String place = "/vulnerabilities/" + i;
      JsonNode vulnerability = vulnerabilities.get(i);
      String name =
          vulnerability.path("cve").asText(vulnerability.path("ids").path(0).path("text").asText());
      if (name.isEmpty()) {
        throw new BadDocumentException(json.line(place), "A vulnerability has a cve, or an id");
      }
      Set<String> ids = new LinkedHashSet<>();
      for (String status : AFFECTED) {
        ids(place + "/product_status/" + status, vulnerability, status, ids);
      }
      int before = affected.size();
      for (String id : ids) {
        collect(id, name, affected);
      }
      if (!ids.isEmpty() && affected.size() == before) {
        affected.add(new Affected(name, artifact));
      }
    }
    return affected.stream().distinct().toList();
  }

  /** Each file of each product counts: few bytes name many of them often. */
  private void collect(String id, String vulnerability, List<Affected> affected)
      throws BadDocumentException {
    String product = id;
    for (int i = 0; i < JsonDocument.MAX_DEPTH && product != null; i++) {
      for (Digest each : files.getOrDefault(product, List.of())) {
        if (affected.size() == LibraryDocumentReader.MAX_AFFECTED) {
          throw LibraryDocumentReader.tooMany();
        }
        affected.add(new Affected(vulnerability, each));
      }
      product = others.get(product);
    }
  }

  private void ids(String place, JsonNode vulnerability, String status, Set<String> ids)
      throws BadDocumentException {
    JsonNode products = vulnerability.path("product_status").path(status);
    if (!products.isMissingNode() && !products.isArray()) {
      throw new BadDocumentException(
          json.line(place), "\"%s\" is a list of ids of products".formatted(status));
    }
    for (int i = 0; i < products.size(); i++) {
      String id = products.get(i).asText("");
      if (!files.containsKey(id)) {
        throw new BadDocumentException(
            json.line(place + '/' + i),
            "The product_tree has no product with the id \"%s\"".formatted(id));
      }
      ids.add(id);
    }
  }

  private void branches(String place, JsonNode node) throws BadDocumentException {
    JsonNode branches = node.path("branches");
    for (int i = 0; i < branches.size(); i++) {
      String branch = "%s/branches/%d".formatted(place, i);
      if (branches.get(i).has("product")) {
        product(branch + "/product", branches.get(i).get("product"));
      }
      branches(branch, branches.get(i));
    }
  }

  private void products(String place, JsonNode products) throws BadDocumentException {
    for (int i = 0; i < products.size(); i++) {
      product(place + '/' + i, products.get(i));
    }
  }

  private void product(String place, JsonNode product) throws BadDocumentException {
    String id = product.path("product_id").asText("");
    if (id.isEmpty()) {
      throw new BadDocumentException(json.line(place), "A product has a product_id");
    }
    List<Digest> digests = files.computeIfAbsent(id, _ -> new ArrayList<>());
    JsonNode hashes = product.path("product_identification_helper").path("hashes");
    for (int i = 0; i < hashes.size(); i++) {
      JsonNode values = hashes.get(i).path("file_hashes");
      for (int j = 0; j < values.size(); j++) {
        if (values.get(j).path("algorithm").asText("").equalsIgnoreCase("sha256")) {
          digests.add(
              sha256(
                  "%s/product_identification_helper/hashes/%d/file_hashes/%d"
                      .formatted(place, i, j),
                  values.get(j).path("value").asText("")));
        }
      }
    }
  }

  private Digest sha256(String place, String hex) throws BadDocumentException {
    try {
      return new Digest(DigestAlgorithm.SHA_256, hex.toLowerCase(Locale.ROOT));
    } catch (IllegalArgumentException _) {
      throw new BadDocumentException(
          json.line(place + "/value"), "A SHA-256 has 64 hexadecimal digits");
    }
  }
}
