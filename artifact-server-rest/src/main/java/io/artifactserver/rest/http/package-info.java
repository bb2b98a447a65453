/** RFC 9110 as pure functions: no I/O, no server. */
@NullMarked
package io.artifactserver.rest.http;

import org.jspecify.annotations.NullMarked;
