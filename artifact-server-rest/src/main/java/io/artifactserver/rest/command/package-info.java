/**
 * The command line: what runs in place of the server, with one style of help, errors and exit
 * codes.
 */
@NullMarked
package io.artifactserver.rest.command;

import org.jspecify.annotations.NullMarked;
