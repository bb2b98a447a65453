/** Browsers that have signed in: a cookie stands for the token, which stays with the server. */
@NullMarked
package io.artifactserver.rest.access.session;

import org.jspecify.annotations.NullMarked;
