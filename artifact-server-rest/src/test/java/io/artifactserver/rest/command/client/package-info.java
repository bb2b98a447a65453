@NullMarked
package io.artifactserver.rest.command.client;

import org.jspecify.annotations.NullMarked;
