/** Tokens, signed links, and how people sign in: what operators ask about access. */
@NullMarked
package io.artifactserver.rest.api.access;

import org.jspecify.annotations.NullMarked;
