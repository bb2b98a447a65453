/** Pages and charts made of results. */
@NullMarked
package io.artifactserver.benchmarks.report;

import org.jspecify.annotations.NullMarked;
