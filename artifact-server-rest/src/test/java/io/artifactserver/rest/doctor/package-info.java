@NullMarked
package io.artifactserver.rest.doctor;

import org.jspecify.annotations.NullMarked;
