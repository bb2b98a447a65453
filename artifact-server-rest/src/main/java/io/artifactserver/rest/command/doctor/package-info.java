/** What the machine allows the server, and what to change where that is too little. */
@NullMarked
package io.artifactserver.rest.command.doctor;

import org.jspecify.annotations.NullMarked;
