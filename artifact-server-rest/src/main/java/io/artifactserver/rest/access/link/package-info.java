/** Signed links: addresses that work without credentials, for a while. */
@NullMarked
package io.artifactserver.rest.access.link;

import org.jspecify.annotations.NullMarked;
