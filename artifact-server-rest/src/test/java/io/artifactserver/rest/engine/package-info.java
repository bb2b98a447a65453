@NullMarked
package io.artifactserver.rest.engine;

import org.jspecify.annotations.NullMarked;
