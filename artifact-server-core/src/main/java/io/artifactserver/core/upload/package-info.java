/** Use case: uploads over several requests, which outlive connections and processes. */
@NullMarked
package io.artifactserver.core.upload;

import org.jspecify.annotations.NullMarked;
