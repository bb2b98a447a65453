/** Quotas and limits of repositories in the API. */
@NullMarked
package io.artifactserver.rest.api.limit;

import org.jspecify.annotations.NullMarked;
