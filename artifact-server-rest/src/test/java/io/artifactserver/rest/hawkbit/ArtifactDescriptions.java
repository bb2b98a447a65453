package io.artifactserver.rest.hawkbit;

import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** How hawkBit describes artifacts to devices: names, digests, lengths and links. Thread-safe. */
final class ArtifactDescriptions {
  private final ArtifactLinks links = new ArtifactLinks();

  /** By identity, as arrays are. */
  private final Map<byte[], Map<DigestAlgorithm, String>> digests =
      Collections.synchronizedMap(new IdentityHashMap<>());

  /** Sets a property of hawkBit by which it makes links to artifacts. */
  void property(String name, String value) {
    links.property(name, value);
  }

  /**
   * The artifacts of a module, as they stand in a document.
   *
   * @param authority by which the device reached hawkBit
   * @param files by name, as hawkBit's folder has them
   */
  List<Map<String, Object>> of(
      String authority,
      String tenant,
      String controllerId,
      String module,
      Map<String, byte[]> files) {
    List<Map<String, Object>> list = new ArrayList<>();
    files.forEach((name, content) -> {
      String sha1 = hex(DigestAlgorithm.SHA_1, content);
      Map<String, Object> artifact = new LinkedHashMap<>();
      artifact.put("filename", name);
      artifact.put(
          "hashes",
          Map.of(
              "sha1",
              sha1,
              "md5",
              hex(DigestAlgorithm.MD5, content),
              "sha256",
              hex(DigestAlgorithm.SHA_256, content)));
      artifact.put("size", content.length);
      artifact.put("_links", links.of(authority, tenant, controllerId, module, name, sha1));
      list.add(artifact);
    });
    return list;
  }

  /** Computed once: thousands of devices ask for the same. */
  private String hex(DigestAlgorithm algorithm, byte[] content) {
    return digests
        .computeIfAbsent(content, _ -> new ConcurrentHashMap<>())
        .computeIfAbsent(
            algorithm,
            _ -> Digest.of(algorithm, algorithm.newMessageDigest().digest(content)).hex());
  }
}
