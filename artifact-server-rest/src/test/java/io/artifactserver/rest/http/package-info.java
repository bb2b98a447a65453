/** Tests of the HTTP rules. */
@NullMarked
package io.artifactserver.rest.http;

import org.jspecify.annotations.NullMarked;
