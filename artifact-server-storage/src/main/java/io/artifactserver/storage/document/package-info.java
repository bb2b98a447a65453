/** Reads SBOMs and VEX, with the libraries of their formats. */
@NullMarked
package io.artifactserver.storage.document;

import org.jspecify.annotations.NullMarked;
