package io.artifactserver.rest.delivery.address;

import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.digest.Digest;

/** The thing that a device's request names. Immutable. */
public sealed interface Target {
  /** An artifact by its name. */
  record OfArtifact(ArtifactId id) implements Target {}

  /** Content by its digest, in whatever repository the sender may read. */
  record OfContent(Digest digest) implements Target {}

  /**
   * Content by its digest, in one repository, to be saved under a name.
   *
   * @param fileName without a slash
   */
  record OfContentIn(Digest digest, String repository, String fileName) implements Target {}

  /**
   * A file that hawkBit may have granted to a device.
   *
   * @param tenant of hawkBit, as the device spells it
   * @param controllerId the device
   * @param softwareModuleId the module whose artifact it is; digits
   */
  record Granted(String tenant, String controllerId, String softwareModuleId, String fileName)
      implements Target {}
}
