/** The application: configuration, wiring, start. */
@NullMarked
package io.artifactserver.rest.app;

import org.jspecify.annotations.NullMarked;
