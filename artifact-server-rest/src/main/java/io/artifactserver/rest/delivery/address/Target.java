package io.artifactserver.rest.delivery.address;

import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.release.Channel;

/** The thing that a device's request names. Immutable. */
public sealed interface Target {
  /** An artifact by its name. */
  record OfArtifact(ArtifactId id) implements Target {}

  /**
   * An artifact of the release that a channel points to.
   *
   * @param path within the release
   */
  record OfChannel(Channel channel, String path) implements Target {
    /** The artifact that has this very path, where there is no such channel. */
    public ArtifactId literally() {
      return new ArtifactId(channel.repository(), channel.address().path() + '/' + path);
    }
  }

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
