/** Ratios within one run that must not get worse, and their keeper. */
@NullMarked
package io.artifactserver.benchmarks.gate;

import org.jspecify.annotations.NullMarked;
