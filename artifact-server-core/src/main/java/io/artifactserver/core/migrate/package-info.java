/** Use case: move every blob from one backend to another. */
@NullMarked
package io.artifactserver.core.migrate;

import org.jspecify.annotations.NullMarked;
