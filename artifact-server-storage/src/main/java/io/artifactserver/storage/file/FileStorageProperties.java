package io.artifactserver.storage.file;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How blobs are kept. Immutable.
 *
 * @param backend that keeps them; default {@code file}
 */
@ConfigurationProperties("artifact-server.storage")
public record FileStorageProperties(@DefaultValue("file") String backend) {}
