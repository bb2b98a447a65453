package io.artifactserver.rest.http;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * The bytes that a GET would send, as far as a plan needs them: length and validators (RFC 9110,
 * section 3.2). Immutable.
 *
 * @param length in bytes
 * @param entityTag strong
 * @param lastModified in whole seconds, as HTTP dates are
 */
public record Representation(long length, EntityTag entityTag, Instant lastModified) {
  public Representation {
    lastModified = lastModified.truncatedTo(ChronoUnit.SECONDS);
  }
}
