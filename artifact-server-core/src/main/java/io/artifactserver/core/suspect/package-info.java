/** Use case: find out which blobs that were found damaged are right again. */
@NullMarked
package io.artifactserver.core.suspect;

import org.jspecify.annotations.NullMarked;
