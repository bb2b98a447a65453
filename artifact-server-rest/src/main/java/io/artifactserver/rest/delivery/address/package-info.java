/** Which artifact, form or blob a path names. */
@NullMarked
package io.artifactserver.rest.delivery.address;

import org.jspecify.annotations.NullMarked;
