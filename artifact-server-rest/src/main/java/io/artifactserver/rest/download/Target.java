package io.artifactserver.rest.download;

import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.InvalidNameException;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.rest.http.RequestPath;
import java.util.Locale;
import java.util.Optional;

/** What a device's request names. Immutable. */
sealed interface Target {
  String ARTIFACTS = "/artifacts/";
  String BLOBS = "/blobs/sha256/";

  /** An artifact by its name. */
  record OfArtifact(ArtifactId id) implements Target {}

  /** Content by its digest. */
  record OfContent(Digest digest) implements Target {}

  /** Whether the data plane answers requests of this path; all others go to the control plane. */
  static boolean isTarget(String rawPath) {
    return rawPath.startsWith(ARTIFACTS) || rawPath.startsWith(BLOBS);
  }

  /**
   * Reads a path that {@link #isTarget}.
   *
   * @return empty if the path can name nothing
   * @throws InvalidNameException if the path breaks a rule of names
   */
  static Optional<Target> parse(String rawPath) {
    if (rawPath.startsWith(ARTIFACTS)) {
      int slash = rawPath.indexOf('/', ARTIFACTS.length());
      if (slash < 0) {
        return Optional.empty();
      }
      String repository = RequestPath.decode(rawPath.substring(ARTIFACTS.length(), slash));
      String path = RequestPath.decode(rawPath.substring(slash + 1));
      return Optional.of(new OfArtifact(new ArtifactId(repository, path)));
    }
    String hex = rawPath.substring(BLOBS.length()).toLowerCase(Locale.ROOT);
    try {
      return Optional.of(new OfContent(new Digest(DigestAlgorithm.SHA_256, hex)));
    } catch (IllegalArgumentException e) {
      throw new InvalidNameException(
          "A content address is /blobs/sha256/ and 64 hexadecimal digits");
    }
  }
}
