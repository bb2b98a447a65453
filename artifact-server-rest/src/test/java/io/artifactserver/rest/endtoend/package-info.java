/** Tests against the packaged server, over real HTTP. */
@NullMarked
package io.artifactserver.rest.endtoend;

import org.jspecify.annotations.NullMarked;
