@NullMarked
package io.artifactserver.benchmarks.load;

import org.jspecify.annotations.NullMarked;
