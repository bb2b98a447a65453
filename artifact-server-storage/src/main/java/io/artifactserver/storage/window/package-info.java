/** Bounded parallel transfers, shared by every remote backend. */
@NullMarked
package io.artifactserver.storage.window;

import org.jspecify.annotations.NullMarked;
