package io.artifactserver.rest.app;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Uploads. Immutable.
 *
 * @param maxArtifactSize largest single artifact; raise it for disk images beyond the default
 * @param maxTotalSize of all stored blobs together; lower it to leave room for other users of the
 *     disk. The default is no bound but the disk's.
 */
@ConfigurationProperties("artifact-server.upload")
public record UploadProperties(
    @DefaultValue("64GB") DataSize maxArtifactSize,
    @DefaultValue("9223372036854775807B") DataSize maxTotalSize) {}
