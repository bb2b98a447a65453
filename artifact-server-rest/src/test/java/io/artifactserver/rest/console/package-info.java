@NullMarked
package io.artifactserver.rest.console;

import org.jspecify.annotations.NullMarked;
