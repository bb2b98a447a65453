/** The PostgreSQL database: the embedded one, an external one, and the pool of connections. */
@NullMarked
package io.artifactserver.storage.postgres;

import org.jspecify.annotations.NullMarked;
