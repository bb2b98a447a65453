/** Attachments in PostgreSQL. */
@NullMarked
package io.artifactserver.storage.catalog.attachment;

import org.jspecify.annotations.NullMarked;
