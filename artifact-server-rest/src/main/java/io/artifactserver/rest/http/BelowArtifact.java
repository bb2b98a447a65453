package io.artifactserver.rest.http;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Addresses of the API that come behind an artifact's own. An artifact's path may have any
 * segments, so an artifact that is named as one of them is not uploaded by the same method. Pure
 * functions of the path as it was sent, still encoded.
 */
public enum BelowArtifact {
  /** The hold that keeps an artifact. */
  HOLD("PUT", "/hold"),

  /** Why an artifact was released, and how long it is supported. */
  SUPPORT("PUT", "/support"),

  /** The deletion of an artifact, which is taken back. */
  UNDELETE("POST", "/undelete"),

  /** A document about an artifact, which is attached to it. */
  ATTACH("POST", "/attachments"),

  /** The documents about an artifact. */
  ATTACHMENTS("GET|HEAD", "/attachments"),

  /** One of them, by its SHA-256. */
  ATTACHMENT("GET|HEAD|DELETE", "/attachments/{digest}");

  private final Pattern method;
  private final String suffix;
  private final Pattern address;

  BelowArtifact(String method, String suffix) {
    this.method = Pattern.compile(method);
    this.suffix = suffix;
    this.address =
        Pattern.compile("(" + Names.ARTIFACT + ")" + suffix.replace("{digest}", Names.DIGEST));
  }

  /** The address below an artifact's that a request is for, if it is for one. */
  public static Optional<BelowArtifact> find(String method, String rawPath) {
    return Stream.of(values()).filter(below -> below.is(method, rawPath)).findFirst();
  }

  /** The path behind the artifact's own, as the API's document has it. */
  public String suffix() {
    return suffix;
  }

  /** Returns the path of the artifact's own address. */
  public String artifact(String rawPath) {
    Matcher matcher = address.matcher(rawPath);
    return matcher.matches() ? matcher.group(1) : rawPath;
  }

  private boolean is(String sent, String rawPath) {
    return method.matcher(sent).matches() && address.matcher(rawPath).matches();
  }

  /** Constants of an enumeration are made before its own fields. */
  private static final class Names {
    static final String ARTIFACT = "/api/v1/repositories/[^/]+/artifacts/.+";
    static final String DIGEST = "[0-9a-f]{64}";
  }
}
