/** Regressions, planted to see the gates fail. */
@NullMarked
package io.artifactserver.benchmarks.planted;

import org.jspecify.annotations.NullMarked;
