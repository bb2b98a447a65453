/** Tests of the database, and the database that tests use. */
@NullMarked
package io.artifactserver.storage.postgres;

import org.jspecify.annotations.NullMarked;
