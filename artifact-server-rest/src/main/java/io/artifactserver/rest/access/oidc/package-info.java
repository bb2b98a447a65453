/** People and pipelines with tokens of an OpenID Connect provider. */
@NullMarked
package io.artifactserver.rest.access.oidc;

import org.jspecify.annotations.NullMarked;
