/** Tests of failures and what is told of them. */
@NullMarked
package io.artifactserver.rest.problem;

import org.jspecify.annotations.NullMarked;
