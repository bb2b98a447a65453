/** How pools of threads are made. */
@NullMarked
package io.artifactserver.core.thread;

import org.jspecify.annotations.NullMarked;
