/** Uploads by reference: the API, and how files of other servers are read. */
@NullMarked
package io.artifactserver.rest.api.fetch;

import org.jspecify.annotations.NullMarked;
