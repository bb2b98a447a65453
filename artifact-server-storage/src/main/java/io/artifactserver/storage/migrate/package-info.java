/** The command that moves blobs from one backend to another; the only code that knows several. */
@NullMarked
package io.artifactserver.storage.migrate;

import org.jspecify.annotations.NullMarked;
