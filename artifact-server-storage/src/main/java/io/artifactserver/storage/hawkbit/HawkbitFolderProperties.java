package io.artifactserver.storage.hawkbit;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Where hawkBit's artifacts are. Immutable.
 *
 * @param artifacts hawkBit's folder of artifacts, mounted read-only here; empty, the default, if
 *     there is none
 */
@ConfigurationProperties("artifact-server.hawkbit")
public record HawkbitFolderProperties(@DefaultValue("") String artifacts) {}
