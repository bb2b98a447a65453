/** Blobs as files of a local file system. */
@NullMarked
package io.artifactserver.storage.local.file;

import org.jspecify.annotations.NullMarked;
