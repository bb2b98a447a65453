/** The page that is made of kept results, and the command that keeps one. */
@NullMarked
package io.artifactserver.benchmarks.report;

import org.jspecify.annotations.NullMarked;
