@NullMarked
package io.artifactserver.rest.hawkbit;

import org.jspecify.annotations.NullMarked;
