/** Forms computed from a blob after its upload and kept beside it, such as an index of chunks. */
@NullMarked
package io.artifactserver.core.derive;

import org.jspecify.annotations.NullMarked;
