@NullMarked
package io.artifactserver.rest.access.link;

import org.jspecify.annotations.NullMarked;
