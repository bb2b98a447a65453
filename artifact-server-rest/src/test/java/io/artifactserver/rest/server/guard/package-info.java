@NullMarked
package io.artifactserver.rest.server.guard;

import org.jspecify.annotations.NullMarked;
