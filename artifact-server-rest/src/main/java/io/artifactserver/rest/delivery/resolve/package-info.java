/** What an address is at the moment, and whether its caller may have it. */
@NullMarked
package io.artifactserver.rest.delivery.resolve;

import org.jspecify.annotations.NullMarked;
