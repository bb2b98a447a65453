/** Use cases: encrypt what is stored plain; manage the keys that everything encrypted hangs on. */
@NullMarked
package io.artifactserver.core.encryption;

import org.jspecify.annotations.NullMarked;
