/** People and pipelines with tokens of an OpenID Connect provider. */
@NullMarked
package io.artifactserver.rest.oidc;

import org.jspecify.annotations.NullMarked;
