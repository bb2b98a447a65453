/** Encryption at rest: seekable and authenticated, over any backend. */
@NullMarked
package io.artifactserver.storage.encrypted;

import org.jspecify.annotations.NullMarked;
