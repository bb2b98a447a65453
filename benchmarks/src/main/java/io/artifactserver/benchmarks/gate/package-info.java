/** What must not get worse: ratios within one run, and who checks them. */
@NullMarked
package io.artifactserver.benchmarks.gate;

import org.jspecify.annotations.NullMarked;
