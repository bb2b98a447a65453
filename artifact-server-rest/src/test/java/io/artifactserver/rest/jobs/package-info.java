/** Tests of the background jobs. */
@NullMarked
package io.artifactserver.rest.jobs;

import org.jspecify.annotations.NullMarked;
