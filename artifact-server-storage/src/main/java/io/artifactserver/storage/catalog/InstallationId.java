package io.artifactserver.storage.catalog;

import java.util.UUID;

/**
 * Tells one installation's database from another's. Made with the database's schema, and the same
 * for as long as the database lives. Immutable.
 *
 * @param value random
 */
public record InstallationId(UUID value) {}
