/** Tests of who a caller is. */
@NullMarked
package io.artifactserver.rest.access;

import org.jspecify.annotations.NullMarked;
