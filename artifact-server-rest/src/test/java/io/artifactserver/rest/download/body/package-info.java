@NullMarked
package io.artifactserver.rest.download.body;

import org.jspecify.annotations.NullMarked;
