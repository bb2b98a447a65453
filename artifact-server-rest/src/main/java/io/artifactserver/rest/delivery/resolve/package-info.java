/** Finds the bytes at an address, and whether the caller may have them. */
@NullMarked
package io.artifactserver.rest.delivery.resolve;

import org.jspecify.annotations.NullMarked;
