/** The operator's JSON API. */
@NullMarked
package io.artifactserver.rest.api.artifact;

import org.jspecify.annotations.NullMarked;
