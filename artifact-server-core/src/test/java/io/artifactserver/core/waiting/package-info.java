/** How tests of all modules wait for other threads. */
@NullMarked
package io.artifactserver.core.waiting;

import org.jspecify.annotations.NullMarked;
