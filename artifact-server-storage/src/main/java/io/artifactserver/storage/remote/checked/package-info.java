/** Checksums over a remote backend, so that no byte that changed on the way goes out. */
@NullMarked
package io.artifactserver.storage.remote.checked;

import org.jspecify.annotations.NullMarked;
