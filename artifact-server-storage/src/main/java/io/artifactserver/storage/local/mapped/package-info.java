/** Files that are mapped into memory, for backends whose blobs lie in local files. */
@NullMarked
package io.artifactserver.storage.local.mapped;

import org.jspecify.annotations.NullMarked;
