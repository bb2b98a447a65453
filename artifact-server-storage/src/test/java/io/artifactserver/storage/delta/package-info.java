@NullMarked
package io.artifactserver.storage.delta;

import org.jspecify.annotations.NullMarked;
