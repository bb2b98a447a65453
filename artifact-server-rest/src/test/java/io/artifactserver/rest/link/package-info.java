@NullMarked
package io.artifactserver.rest.link;

import org.jspecify.annotations.NullMarked;
