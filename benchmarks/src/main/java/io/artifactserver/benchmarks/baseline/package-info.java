/** The old way, on purpose: what the benchmarks compare with. */
@NullMarked
package io.artifactserver.benchmarks.baseline;

import org.jspecify.annotations.NullMarked;
