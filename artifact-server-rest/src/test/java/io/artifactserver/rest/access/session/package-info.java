@NullMarked
package io.artifactserver.rest.access.session;

import org.jspecify.annotations.NullMarked;
