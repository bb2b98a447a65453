/** The folder that one server has to itself. */
@NullMarked
package io.artifactserver.storage.local.folder;

import org.jspecify.annotations.NullMarked;
