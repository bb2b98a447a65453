/** Uploads by reference: the API, and the HTTPS client that fetches files from other servers. */
@NullMarked
package io.artifactserver.rest.api.fetch;

import org.jspecify.annotations.NullMarked;
