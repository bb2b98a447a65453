/** Channels: names that devices follow, and the releases that they point to. */
@NullMarked
package io.artifactserver.core.release;

import org.jspecify.annotations.NullMarked;
