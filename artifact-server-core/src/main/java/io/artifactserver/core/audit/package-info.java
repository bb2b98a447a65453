/** The record of changes and their callers, each entry chained to the one before. */
@NullMarked
package io.artifactserver.core.audit;

import org.jspecify.annotations.NullMarked;
