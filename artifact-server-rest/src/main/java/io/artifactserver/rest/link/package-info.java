/** Signed links: addresses that work without credentials, for a while. */
@NullMarked
package io.artifactserver.rest.link;

import org.jspecify.annotations.NullMarked;
