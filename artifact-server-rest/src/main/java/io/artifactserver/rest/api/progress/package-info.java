/** The progress of devices: in the API, and on its way into the database. */
@NullMarked
package io.artifactserver.rest.api.progress;

import org.jspecify.annotations.NullMarked;
