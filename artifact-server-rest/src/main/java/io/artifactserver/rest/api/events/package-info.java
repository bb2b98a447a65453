/** Server-sent events: answers that go on until their clients leave. */
@NullMarked
package io.artifactserver.rest.api.events;

import org.jspecify.annotations.NullMarked;
