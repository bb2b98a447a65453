/**
 * The console: pages for people, made on the server. Everything that changes is a call of the API.
 */
@NullMarked
package io.artifactserver.rest.console;

import org.jspecify.annotations.NullMarked;
