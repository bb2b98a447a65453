/** Threads. */
@NullMarked
package io.artifactserver.core.thread;

import org.jspecify.annotations.NullMarked;
