package io.artifactserver.rest.hawkbit;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A deployment as rauc-hawkbit-updater 1.4 and SWUpdate 2022.12 understand hawkBit's document of
 * it. Immutable.
 *
 * @param action its number
 */
public record Deployment(String action, List<Download> downloads) {
  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  /** An artifact that the agent fetches, and compares with its SHA-1. */
  public record Download(String fileName, long length, String sha1, URI link) {}

  /** The agent closes its action as a failure. */
  public static final class UnreadableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private UnreadableException(String message) {
      super(message);
    }
  }

  /** Reads what {@code deploymentBase/{actionId}} answers. */
  public static Deployment read(String document) {
    JsonNode root = MAPPER.readTree(document);
    List<Download> downloads = new ArrayList<>();
    for (JsonNode chunk : list(root.path("deployment"), "chunks")) {
      for (JsonNode artifact : list(chunk, "artifacts")) {
        downloads.add(
            new Download(
                text(artifact.path("filename"), "filename"),
                artifact.path("size").asLong(-1),
                text(artifact.path("hashes").path("sha1"), "sha1"),
                URI.create(link(artifact.path("_links")))));
      }
    }
    return new Deployment(text(root.path("id"), "id"), List.copyOf(downloads));
  }

  /** Both take the encrypted link if there is one; a list has no {@code href}. */
  private static String link(JsonNode links) {
    JsonNode secure = links.path("download").path("href");
    return secure.isString()
        ? secure.asString()
        : text(links.path("download-http").path("href"), "_links.download{-http,}.href");
  }

  private static JsonNode list(JsonNode parent, String name) {
    JsonNode list = parent.path(name);
    if (!list.isArray() || list.isEmpty()) {
      throw new UnreadableException("no list of " + name);
    }
    return list;
  }

  private static String text(JsonNode node, String name) {
    if (!node.isString()) {
      throw new UnreadableException("no " + name);
    }
    return node.asString();
  }
}
