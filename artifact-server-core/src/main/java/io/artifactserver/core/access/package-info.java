/** Callers, and the tokens that they show. */
@NullMarked
package io.artifactserver.core.access;

import org.jspecify.annotations.NullMarked;
