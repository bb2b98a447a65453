/** What was changed by whom, each entry chained to the one before. */
@NullMarked
package io.artifactserver.core.audit;

import org.jspecify.annotations.NullMarked;
