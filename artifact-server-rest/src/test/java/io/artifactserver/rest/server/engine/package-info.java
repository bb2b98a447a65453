@NullMarked
package io.artifactserver.rest.server.engine;

import org.jspecify.annotations.NullMarked;
