/** The port of commands that run without a server. */
@NullMarked
package io.artifactserver.core.command;

import org.jspecify.annotations.NullMarked;
