/** Tokens, and the audit of changes, in PostgreSQL. */
@NullMarked
package io.artifactserver.storage.catalog.access;

import org.jspecify.annotations.NullMarked;
