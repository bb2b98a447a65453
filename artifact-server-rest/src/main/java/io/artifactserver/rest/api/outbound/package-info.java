/**
 * Connections to other servers: to hosts that an operator named, at addresses that were checked.
 */
@NullMarked
package io.artifactserver.rest.api.outbound;

import org.jspecify.annotations.NullMarked;
