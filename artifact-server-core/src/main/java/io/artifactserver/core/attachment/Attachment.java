package io.artifactserver.core.attachment;

import io.artifactserver.core.catalog.Labels;
import io.artifactserver.core.digest.Digest;
import java.time.Instant;

/**
 * A document about the bytes of an artifact, without its content, which never changes. Immutable.
 *
 * @param sha256 of the content
 * @param kind what it says about the artifact
 * @param mediaType as its sender gave it
 * @param length of the content, in bytes
 * @param format that the content was read as, such as {@code CycloneDX 1.6}; empty if it was not
 *     read
 * @param labels for people and programs
 * @param createdAt when it was attached, cut to microseconds (PostgreSQL's resolution)
 */
public record Attachment(
    Digest sha256,
    AttachmentKind kind,
    String mediaType,
    int length,
    String format,
    Labels labels,
    Instant createdAt) {}
