package io.artifactserver.rest.app;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Access. Immutable.
 *
 * @param publicMetrics whether /actuator/prometheus answers without a token; default {@code false}.
 *     Set it when the port is reachable by trusted networks only.
 */
@ConfigurationProperties("artifact-server.access")
public record AccessProperties(@DefaultValue("false") boolean publicMetrics) {}
