@NullMarked
package io.artifactserver.rest.limit;

import org.jspecify.annotations.NullMarked;
