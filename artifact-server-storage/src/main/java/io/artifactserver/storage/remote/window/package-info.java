/** Bounded parallel transfers, shared by every remote backend. */
@NullMarked
package io.artifactserver.storage.remote.window;

import org.jspecify.annotations.NullMarked;
