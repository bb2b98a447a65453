package io.artifactserver.storage.document;

/** Documents as tools write them. */
final class Documents {
  private Documents() {}

  static String cycloneDx(String version) {
    return """
    {
      "bomFormat": "CycloneDX",
      "specVersion": "%s",
      "version": 1, "components": [ {
        "type": "library",
        "name": "busybox",
        "version": "1.36.1" }
      ]
    }
    """
        .formatted(version);
  }

  static String cycloneDxXml(String version) {
    return """
    <?xml version="1.0" encoding="UTF-8"?>
    <bom xmlns="http://cyclonedx.org/schema/bom/%s" version="1">
      <components>
        <component type="library">
          <name>busybox</name>
          <version>1.36.1</version>
        </component>
      </components>
    </bom>
    """
        .formatted(version);
  }

  static String spdx(String version) {
    return """
    {
      "spdxVersion": "SPDX-%s",
      "dataLicense": "CC0-1.0",
      "SPDXID": "SPDXRef-DOCUMENT",
      "name": "image",
      "documentNamespace": "https://example.com/spdx/image-1",
      "creationInfo": { "created": "2026-01-01T00:00:00Z", "creators": ["Tool: test"] },
      "packages": [
        {
          "SPDXID": "SPDXRef-busybox",
          "name": "busybox",
          "versionInfo": "1.36.1",
          "downloadLocation": "NOASSERTION",
          "filesAnalyzed": false,
          "licenseConcluded": "GPL-2.0-only",
          "licenseDeclared": "GPL-2.0-only",
          "copyrightText": "NOASSERTION"
        }
      ],
      "relationships": [
        { "spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
          "relatedSpdxElement": "SPDXRef-busybox" }
      ]
    }
    """
        .formatted(version);
  }

  /** The first statement has the status and names no artifact, the second is affected. */
  static String openVex(String status) {
    return """
    {
      "@context": "https://openvex.dev/ns/v0.2.0",
      "@id": "https://example.com/vex/1",
      "author": "test", "timestamp": "2026-01-01T00:00:00Z", "version": 1,
      "statements": [
        {
          "vulnerability": { "name": "CVE-2026-0001" },
          "status": "%s",
          "products": [ { "@id": "pkg:generic/image@1.2" } ]
        },
        {
          "vulnerability": { "name": "CVE-2026-0002" },
          "status": "affected",
          "products": [ { "@id": "x", "hashes": { "sha-256": "%s" } } ]
        }
      ]
    }
    """
        .formatted(status, "B".repeat(64));
  }

  /** As {@link #openVex}. */
  static String cycloneDxVex(String state) {
    return """
    {
      "bomFormat": "CycloneDX",
      "specVersion": "1.5",
      "version": 1,
      "components": [
        { "type": "firmware", "name": "image", "bom-ref": "image",
          "hashes": [ { "alg": "SHA-256", "content": "%s" } ] }
      ],
      "vulnerabilities": [
        { "id": "CVE-2026-0001", "analysis": { "state": "%s" }, "affects": [ { "ref": "y" } ] },
        { "id": "CVE-2026-0002", "analysis": { "state": "exploitable" },
          "affects": [ { "ref": "image" } ] }
      ]
    }
    """
        .formatted("b".repeat(64), state);
  }

  /** As {@link #openVex}; the second product is the first one on a board, by another id. */
  static String csaf(String status) {
    return """
    {
      "document": { "category": "csaf_vex", "csaf_version": "2.0", "title": "test" },
      "product_tree": {
        "branches": [ { "category": "vendor", "name": "v", "branches": [
          { "category": "product_version", "name": "1.2", "product": {
            "product_id": "image", "name": "image 1.2", "product_identification_helper": {
              "hashes": [ { "filename": "image", "file_hashes": [
                { "algorithm": "sha512", "value": "00" },
                { "algorithm": "sha256", "value": "%s" } ] } ] } } } ] } ],
        "full_product_names": [ { "product_id": "other", "name": "without a hash" } ],
        "relationships": [ { "category": "installed_on", "product_reference": "image",
          "relates_to_product_reference": "board",
          "full_product_name": { "product_id": "image-on-board", "name": "image on board" } } ]
      },
      "vulnerabilities": [
        { "cve": "CVE-2026-0001", "product_status": { "%s": [ "other" ] } },
        { "ids": [ { "system_name": "ours", "text": "CVE-2026-0002" } ],
          "product_status": {
            "known_affected": [ "image-on-board", "image" ] } }
      ]
    }
    """
        .formatted("B".repeat(64), status);
  }

  /** JSON-LD. */
  static String spdx3() {
    return """
    {
      "@context": "https://spdx.org/rdf/3.0.1/spdx-context.jsonld",
      "@graph": [ { "type": "SpdxDocument", "spdxId": "https://example.com/1" } ]
    }
    """;
  }
}
