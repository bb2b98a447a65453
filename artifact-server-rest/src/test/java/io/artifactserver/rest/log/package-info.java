/** Tests of how often something is logged. */
@NullMarked
package io.artifactserver.rest.log;

import org.jspecify.annotations.NullMarked;
