package io.artifactserver.rest.app;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Deletion. Immutable.
 *
 * @param gracePeriod how long the bytes of a deleted artifact stay, so that running downloads
 *     finish; raise it for devices on slow links
 * @param orphanAge how old what a crash left behind must be before it is swept; longer than the
 *     longest upload
 * @param sweepInterval how often expired and orphaned blobs are looked for
 */
@ConfigurationProperties("artifact-server.retire")
public record RetireProperties(
    @DefaultValue("15m") Duration gracePeriod,
    @DefaultValue("1d") Duration orphanAge,
    @DefaultValue("5m") Duration sweepInterval) {}
