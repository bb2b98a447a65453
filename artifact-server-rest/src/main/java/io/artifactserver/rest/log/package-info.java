/** Log lines, and how often they are written. */
@NullMarked
package io.artifactserver.rest.log;

import org.jspecify.annotations.NullMarked;
