/** Advice about artifacts, beside their upload. */
@NullMarked
package io.artifactserver.core.lint;

import org.jspecify.annotations.NullMarked;
