/** What runs in the background, as metrics show it. */
@NullMarked
package io.artifactserver.rest.app.jobs;

import org.jspecify.annotations.NullMarked;
