/** Files that survive a power cut. */
@NullMarked
package io.artifactserver.core.file;

import org.jspecify.annotations.NullMarked;
