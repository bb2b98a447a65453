package io.artifactserver.core.grant;

import io.artifactserver.core.blob.Blob;
import java.time.Instant;

/**
 * A file whose length and SHA-256 were found to be those of an artifact. Immutable.
 *
 * @param blob its bytes
 * @param storedAt when the file was written
 */
public record GrantedFile(Blob blob, Instant storedAt) {}
