package io.artifactserver.core.progress;

import io.artifactserver.core.digest.Digest;

/**
 * The bytes of an artifact in a repository, with which devices make progress. Two paths with the
 * same bytes are one subject, and a path that gets other bytes is another one. Immutable.
 *
 * @param repository name of the repository
 * @param sha256 of the bytes
 * @param length in bytes
 */
public record ProgressSubject(String repository, Digest sha256, long length) {}
