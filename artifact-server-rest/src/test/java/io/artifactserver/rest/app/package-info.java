/** Tests of the application's configuration. */
@NullMarked
package io.artifactserver.rest.app;

import org.jspecify.annotations.NullMarked;
