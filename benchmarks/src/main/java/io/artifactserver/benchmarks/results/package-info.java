/** Results of benchmarks: running, keeping and comparing them. */
@NullMarked
package io.artifactserver.benchmarks.results;

import org.jspecify.annotations.NullMarked;
