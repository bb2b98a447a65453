/** Background jobs, and their metrics and health. */
@NullMarked
package io.artifactserver.rest.app.jobs;

import org.jspecify.annotations.NullMarked;
