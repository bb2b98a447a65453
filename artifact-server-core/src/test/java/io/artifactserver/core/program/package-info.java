/** Programs of the machine that tests of all modules compare with. */
@NullMarked
package io.artifactserver.core.program;

import org.jspecify.annotations.NullMarked;
