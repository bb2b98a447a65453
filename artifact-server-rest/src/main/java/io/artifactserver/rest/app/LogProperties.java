package io.artifactserver.rest.app;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the log. Immutable.
 *
 * @param everyLine whether each line of a library is, not one of a kind a minute; default {@code
 *     false}. Set it to find a fault: a client can fill the disk then.
 */
@ConfigurationProperties("artifact-server.log")
public record LogProperties(@DefaultValue("false") boolean everyLine) {}
