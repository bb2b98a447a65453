@NullMarked
package io.artifactserver.rest.access.oidc;

import org.jspecify.annotations.NullMarked;
