/** How long artifacts are kept, in the API: holds, and the support that they are for. */
@NullMarked
package io.artifactserver.rest.api.keep;

import org.jspecify.annotations.NullMarked;
