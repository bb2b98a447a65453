package io.artifactserver.storage.hawkbit;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;
import org.springframework.util.unit.DataSize;

/**
 * Where the files are that hawkBit grants. Immutable.
 *
 * @param artifacts hawkBit's folder of artifacts, mounted read-only here; empty, the default, if
 *     there is none
 * @param pull whether files are fetched from hawkBit, each once, and kept in the data folder; off
 *     by default. For a hawkBit whose folder cannot be mounted.
 * @param pullSize most that these files take together; default 20 GB. Beyond it, what was fetched
 *     first goes first.
 * @param pullStreaming whether devices get the bytes of a file while it arrives, before it was
 *     compared with its digest; off by default: they wait until it was
 */
@ConfigurationProperties("artifact-server.hawkbit")
public record HawkbitFolderProperties(
    @DefaultValue("") String artifacts,
    @DefaultValue("false") boolean pull,
    @DefaultValue("20GB") DataSize pullSize,
    @DefaultValue("false") boolean pullStreaming) {
  public HawkbitFolderProperties {
    Assert.isTrue(
        !pull || artifacts.isEmpty(),
        "artifact-server.hawkbit.artifacts names a folder, so there is nothing to fetch: leave"
            + " artifact-server.hawkbit.pull out, or the folder");
    Assert.isTrue(
        pullSize.toBytes() > 0,
        "artifact-server.hawkbit.pull-size must be positive, not " + pullSize);
  }
}
