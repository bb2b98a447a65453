/** Tests of who a caller is. */
@NullMarked
package io.artifactserver.rest.auth;

import org.jspecify.annotations.NullMarked;
