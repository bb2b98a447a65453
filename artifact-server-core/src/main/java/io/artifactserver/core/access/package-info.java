/** Who is asking, and with which token. */
@NullMarked
package io.artifactserver.core.access;

import org.jspecify.annotations.NullMarked;
