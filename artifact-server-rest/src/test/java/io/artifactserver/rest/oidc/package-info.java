@NullMarked
package io.artifactserver.rest.oidc;

import org.jspecify.annotations.NullMarked;
