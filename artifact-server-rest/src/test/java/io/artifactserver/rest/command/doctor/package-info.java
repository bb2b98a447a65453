@NullMarked
package io.artifactserver.rest.command.doctor;

import org.jspecify.annotations.NullMarked;
