/** Ways that must not get slower, measured against the written-down bad way. */
@NullMarked
package io.artifactserver.benchmarks;

import org.jspecify.annotations.NullMarked;
