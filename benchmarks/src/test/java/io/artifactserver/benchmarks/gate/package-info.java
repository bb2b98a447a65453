/** The gates, and what makes them fail. */
@NullMarked
package io.artifactserver.benchmarks.gate;

import org.jspecify.annotations.NullMarked;
