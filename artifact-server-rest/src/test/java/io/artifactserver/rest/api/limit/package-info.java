@NullMarked
package io.artifactserver.rest.api.limit;

import org.jspecify.annotations.NullMarked;
