/** What zsync, casync and desync fetch for an update: control files, chunk indexes and chunks. */
@NullMarked
package io.artifactserver.storage.delta;

import org.jspecify.annotations.NullMarked;
