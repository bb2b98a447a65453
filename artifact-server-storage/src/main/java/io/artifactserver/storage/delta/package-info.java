/** Forms for zsync, casync and desync: control files, chunk indexes and chunks. */
@NullMarked
package io.artifactserver.storage.delta;

import org.jspecify.annotations.NullMarked;
