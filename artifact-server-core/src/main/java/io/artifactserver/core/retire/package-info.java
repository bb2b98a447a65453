/** Use case: delete with grace; sweep what crashes left behind. */
@NullMarked
package io.artifactserver.core.retire;

import org.jspecify.annotations.NullMarked;
