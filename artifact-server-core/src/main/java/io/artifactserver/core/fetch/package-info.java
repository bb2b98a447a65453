/** Use case: fetch an artifact from another server, and the port to those servers. */
@NullMarked
package io.artifactserver.core.fetch;

import org.jspecify.annotations.NullMarked;
