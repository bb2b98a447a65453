/** Webhooks in PostgreSQL, and what they are to be told. */
@NullMarked
package io.artifactserver.storage.catalog.webhook;

import org.jspecify.annotations.NullMarked;
