/** Tests of the background jobs. */
@NullMarked
package io.artifactserver.rest.app.jobs;

import org.jspecify.annotations.NullMarked;
