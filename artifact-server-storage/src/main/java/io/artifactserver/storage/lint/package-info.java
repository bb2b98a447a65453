/** Advice about formats of updates. */
@NullMarked
package io.artifactserver.storage.lint;

import org.jspecify.annotations.NullMarked;
