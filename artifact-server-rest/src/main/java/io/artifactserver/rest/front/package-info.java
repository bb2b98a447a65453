/** Where a request goes: to the control plane, to health, to HTTPS, or on to the downloads. */
@NullMarked
package io.artifactserver.rest.front;

import org.jspecify.annotations.NullMarked;
