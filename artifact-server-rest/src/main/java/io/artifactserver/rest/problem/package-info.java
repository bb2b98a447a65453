/** Failures as RFC 9457 problem details. */
@NullMarked
package io.artifactserver.rest.problem;

import org.jspecify.annotations.NullMarked;
