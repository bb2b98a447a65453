package io.artifactserver.rest.hawkbit;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The links to an artifact that hawkBit makes of its properties {@code
 * hawkbit.artifact.url.protocols}: several of one relation become a list. Thread-safe.
 */
final class ArtifactLinks {
  private static final String PREFIX = "hawkbit.artifact.url.protocols.";
  private static final String DOWNLOAD = "download-http";
  private static final String MD5 = "md5sum-http";

  /** By the name of the property: hawkBit's own two, and what an operator sets. */
  private final Map<String, String> properties = new TreeMap<>();

  ArtifactLinks() {
    property(
        PREFIX + DOWNLOAD + ".ref",
        "{protocolRequest}://{hostnameRequest}:{portRequest}/{tenant}/controller/v1/{controllerId}"
            + "/softwaremodules/{softwareModuleId}/artifacts/{artifactFileName}");
    property(PREFIX + MD5 + ".rel", MD5);
  }

  /** Sets a property of hawkBit, {@code .ref} or {@code .rel} of a protocol. */
  synchronized void property(String name, String value) {
    if (!name.matches("hawkbit\\.artifact\\.url\\.protocols\\.[a-z0-9-]+\\.re[fl]")) {
      throw new IllegalArgumentException(name);
    }
    properties.put(name, value);
    if (name.equals(PREFIX + DOWNLOAD + ".ref")) {
      properties.put(PREFIX + MD5 + ".ref", value + ".MD5SUM");
    }
  }

  /**
   * The links as they stand in a document.
   *
   * @param authority by which the device reached hawkBit
   */
  synchronized Map<String, Object> of(
      String authority,
      String tenant,
      String controllerId,
      String module,
      String fileName,
      String sha1) {
    Map<String, List<Map<String, String>>> byRelation = new LinkedHashMap<>();
    properties.forEach((name, ref) -> {
      if (name.endsWith(".ref")) {
        String relation = properties.getOrDefault(name.replace(".ref", ".rel"), DOWNLOAD);
        String link =
            ref.replace("{protocolRequest}", "http")
                .replace("{hostnameRequest}:{portRequest}", authority)
                .replace("{tenant}", tenant)
                .replace("{controllerId}", controllerId)
                .replace("{softwareModuleId}", module)
                .replace("{artifactSHA1}", sha1)
                .replace("{artifactFileName}", URLEncoder.encode(fileName, StandardCharsets.UTF_8));
        byRelation.computeIfAbsent(relation, _ -> new ArrayList<>()).add(Map.of("href", link));
      }
    });
    Map<String, Object> links = new LinkedHashMap<>();
    byRelation.forEach(
        (relation, all) -> links.put(relation, all.size() == 1 ? all.getFirst() : all));
    return links;
  }
}
