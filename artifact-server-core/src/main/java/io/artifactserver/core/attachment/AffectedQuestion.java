package io.artifactserver.core.attachment;

import io.artifactserver.core.digest.Digest;

/**
 * Asks which devices have what a VEX calls affected. Immutable.
 *
 * @param repository by name
 * @param vex SHA-256 of the attachment
 * @param vulnerability by name; empty for all that the VEX names
 * @param after every device's name comes behind it
 * @param limit most devices
 */
public record AffectedQuestion(
    String repository, Digest vex, String vulnerability, String after, int limit) {}
