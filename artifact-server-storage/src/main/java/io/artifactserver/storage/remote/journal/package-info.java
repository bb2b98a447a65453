/** Local copies of what uploads have sent to a remote store since their last checkpoints. */
@NullMarked
package io.artifactserver.storage.remote.journal;

import org.jspecify.annotations.NullMarked;
