/** Who may do what. */
@NullMarked
package io.artifactserver.rest.auth;

import org.jspecify.annotations.NullMarked;
