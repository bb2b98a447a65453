/** Use case: rules that delete old releases. */
@NullMarked
package io.artifactserver.core.retention;

import org.jspecify.annotations.NullMarked;
