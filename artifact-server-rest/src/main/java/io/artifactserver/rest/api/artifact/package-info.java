/** The operator's JSON API for repositories, artifacts and their derived forms; and uploads. */
@NullMarked
package io.artifactserver.rest.api.artifact;

import org.jspecify.annotations.NullMarked;
