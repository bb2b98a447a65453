@NullMarked
package io.artifactserver.rest.connection;

import org.jspecify.annotations.NullMarked;
