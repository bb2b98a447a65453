/** What a download waits for: a turn, a rate, a look whether its caller still may. */
@NullMarked
package io.artifactserver.rest.delivery.pace;

import org.jspecify.annotations.NullMarked;
