package io.artifactserver.core.attachment;

import java.time.Instant;

/**
 * A device that has every byte of an affected artifact, and was sent no other since. Immutable.
 *
 * @param device its name in the progress
 * @param path of the artifact; the first of several
 * @param since when its last byte was sent
 */
public record AffectedDevice(String device, String path, Instant since) {}
