package io.artifactserver.storage.local.folder;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Where the server keeps its files. Immutable.
 *
 * @param dataDir the folder; default {@code ./data}. Change it to a volume that is backed up and
 *     has room for every artifact.
 */
@ConfigurationProperties("artifact-server")
// A String, not a Path: Spring would first look for a resource of that name on the class path.
public record DataFolderProperties(@DefaultValue("./data") String dataDir) {}
