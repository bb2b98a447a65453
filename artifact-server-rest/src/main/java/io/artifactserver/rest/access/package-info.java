/** Authentication and permissions. */
@NullMarked
package io.artifactserver.rest.access;

import org.jspecify.annotations.NullMarked;
