/** The operator's JSON API. */
@NullMarked
package io.artifactserver.rest.catalog;

import org.jspecify.annotations.NullMarked;
