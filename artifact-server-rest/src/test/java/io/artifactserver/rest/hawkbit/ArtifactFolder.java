package io.artifactserver.rest.hawkbit;

import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Writes hawkBit's folder of artifacts as hawkBit does. */
public final class ArtifactFolder {
  private ArtifactFolder() {}

  /** Adds a file, or puts another in its place. */
  public static Path add(Path root, String tenant, byte[] content) throws IOException {
    Path path = path(root, tenant, content);
    Files.createDirectories(path.getParent());
    Path temporary = Files.write(root.resolve("artifact.tmp"), content);
    return Files.move(temporary, path, StandardCopyOption.ATOMIC_MOVE);
  }

  /** Where the content lies. */
  public static Path path(Path root, String tenant, byte[] content) {
    DigestAlgorithm algorithm = DigestAlgorithm.SHA_1;
    String sha1 = Digest.of(algorithm, algorithm.newMessageDigest().digest(content)).hex();
    return root.resolve(tenant)
        .resolve(sha1.substring(36, 38))
        .resolve(sha1.substring(38))
        .resolve(sha1);
  }
}
