package io.artifactserver.rest.http;

import java.util.Optional;
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
  UNDELETE("POST", "/undelete");

  private static final Pattern ARTIFACT =
      Pattern.compile("/api/v1/repositories/[^/]+/artifacts/.+");

  private final String method;
  private final String suffix;

  BelowArtifact(String method, String suffix) {
    this.method = method;
    this.suffix = suffix;
  }

  /** The address below an artifact's that a request is for, if it is for one. */
  public static Optional<BelowArtifact> find(String method, String rawPath) {
    return Stream.of(values()).filter(below -> below.is(method, rawPath)).findFirst();
  }

  /** The path behind the artifact's own. */
  public String suffix() {
    return suffix;
  }

  /** Returns the path of the artifact's own address. */
  public String artifact(String rawPath) {
    return rawPath.substring(0, rawPath.length() - suffix.length());
  }

  private boolean is(String sent, String rawPath) {
    return method.equals(sent)
        && rawPath.endsWith(suffix)
        && ARTIFACT.matcher(artifact(rawPath)).matches();
  }
}
