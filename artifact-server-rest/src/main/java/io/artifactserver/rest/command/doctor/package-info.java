/** Checks of the limits of the machine, each with its remedy. */
@NullMarked
package io.artifactserver.rest.command.doctor;

import org.jspecify.annotations.NullMarked;
