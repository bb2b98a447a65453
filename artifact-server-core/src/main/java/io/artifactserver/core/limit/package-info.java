/** How much a repository may hold, and how fast it may be read. */
@NullMarked
package io.artifactserver.core.limit;

import org.jspecify.annotations.NullMarked;
