package io.artifactserver.rest.delivery.address;

import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.release.Channel;
import java.net.InetAddress;
import java.util.Optional;

/** The thing that a device's request names. Immutable. */
public sealed interface Target {
  /** Something in one repository. */
  sealed interface InRepository extends Target {
    /** Name of the repository. */
    String repository();
  }

  /** An artifact by its name. */
  record OfArtifact(ArtifactId id) implements InRepository {
    @Override
    public String repository() {
      return id.repository();
    }
  }

  /**
   * An artifact of the release that a channel points to.
   *
   * @param path within the release
   * @param device that asks, where the channel's stage depends on it
   */
  record OfChannel(Channel channel, String path, Claim device) implements InRepository {
    @Override
    public String repository() {
      return channel.repository();
    }

    /** The artifact that has this very path, where there is no such channel. */
    public ArtifactId literally() {
      return new ArtifactId(repository(), channel.address().path() + '/' + path);
    }
  }

  /**
   * The question of a device whether the channel has something for it.
   *
   * @param device that asks, where the channel's stage depends on it
   */
  record OfPoll(Agent agent, Channel channel, String path, Claim device) implements InRepository {
    @Override
    public String repository() {
      return channel.repository();
    }
  }

  /** A message of a device about the update that it was offered. */
  record OfReport(Channel channel, String path, InstallReport report, Claim device)
      implements InRepository {
    @Override
    public String repository() {
      return channel.repository();
    }
  }

  /** Content by its digest, in whatever repository the sender may read. */
  record OfContent(Digest digest) implements Target {}

  /**
   * Content by its digest, in one repository, to be saved under a name.
   *
   * @param fileName without a slash
   */
  record OfContentIn(Digest digest, String repository, String fileName) implements InRepository {}

  /**
   * A file that hawkBit may have granted to a device.
   *
   * @param tenant of hawkBit, as the device spells it
   * @param controllerId the device
   * @param softwareModuleId the module whose artifact it is; digits
   */
  record Granted(String tenant, String controllerId, String softwareModuleId, String fileName)
      implements Target {}

  /**
   * How a request describes the device that sent it, beside its credentials. Immutable.
   *
   * @param name that it calls itself by, or its certificate's; empty if it has none
   * @param address empty if it says nothing
   */
  record Claim(String name, Optional<InetAddress> address) {
    /** Nobody has asked. */
    public static final Claim NONE = new Claim("", Optional.empty());
  }

  /** A program that polls. */
  enum Agent {
    /** RAUC, from 1.16 on. */
    RAUC,

    /** SWUpdate, with its general server. */
    SWUPDATE
  }
}
