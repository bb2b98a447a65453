/** The rules of the house, and what they forbid. */
@NullMarked
package io.artifactserver.architecture;

import org.jspecify.annotations.NullMarked;
