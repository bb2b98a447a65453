package io.artifactserver.rest.console;

import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.rest.access.ConsolePaths;
import java.io.IOException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.core.io.ClassPathResource;

/**
 * Styles, scripts and pictures of the console, read from the program at its start. Their folder has
 * a name of their digest, so browsers may keep them for ever. Immutable.
 */
public final class ConsoleAssets {
  /** Nothing but the file itself. */
  private static final String POLICY = "default-src 'none'; frame-ancestors 'none'";

  /** A worker has a policy of its own: this one compiles the digest's program, and loads it. */
  private static final String WORKER_POLICY =
      "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; frame-ancestors 'none'";

  private static final String FOLDER = "/console/";
  private static final String SCRIPT = "text/javascript; charset=utf-8";
  private static final String STYLE = "text/css; charset=utf-8";
  private static final int DIGEST_LENGTH = 16;

  private static final Map<String, String> MEDIA_TYPES = mediaTypes();

  private final Map<String, Asset> files = new LinkedHashMap<>();
  private final String folder;

  /** Reads the files. Blocks. */
  public ConsoleAssets() throws IOException {
    MessageDigest digest = DigestAlgorithm.SHA_256.newMessageDigest();
    Map<String, byte[]> contents = new LinkedHashMap<>();
    for (String name : MEDIA_TYPES.keySet()) {
      byte[] bytes = new ClassPathResource(FOLDER + name).getContentAsByteArray();
      contents.put(name, bytes);
      digest.update(bytes);
    }
    folder =
        ConsolePaths.ASSETS
            + HexFormat.of().formatHex(digest.digest()).substring(0, DIGEST_LENGTH)
            + '/';
    contents.forEach((name, bytes) ->
        files.put(
            address(name),
            new Asset(
                MEDIA_TYPES.getOrDefault(name, ""),
                bytes,
                name.endsWith("worker.js") ? WORKER_POLICY : POLICY)));
  }

  private static Map<String, String> mediaTypes() {
    Map<String, String> types = new LinkedHashMap<>();
    types.put("console.css", STYLE);
    types.put("console.js", SCRIPT);
    types.put("icon.svg", "image/svg+xml");
    types.put("upload.js", SCRIPT);
    types.put("live.js", SCRIPT);
    types.put("digest-worker.js", SCRIPT);
    types.put("vendor/htmx.min.js", SCRIPT);
    types.put("vendor/tus.min.js", SCRIPT);
    types.put("vendor/uPlot.iife.min.js", SCRIPT);
    types.put("vendor/uPlot.min.css", STYLE);
    types.put("vendor/sha256.umd.min.js", SCRIPT);
    return types;
  }

  /** Where a browser finds a file of the console. */
  String address(String name) {
    return folder + name;
  }

  /** The files, by their addresses. */
  public Map<String, Asset> files() {
    return Map.copyOf(files);
  }

  /**
   * A file of the console.
   *
   * @param bytes of it; not to be changed
   * @param policy of what a browser may do with it
   */
  @SuppressWarnings("ArrayRecordComponent") // nobody compares it
  public record Asset(String mediaType, byte[] bytes, String policy) {}
}
