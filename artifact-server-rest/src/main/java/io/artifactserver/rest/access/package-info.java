/** Who may do what. */
@NullMarked
package io.artifactserver.rest.access;

import org.jspecify.annotations.NullMarked;
