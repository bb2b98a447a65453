/** What is stored under which name. */
@NullMarked
package io.artifactserver.core.catalog;

import org.jspecify.annotations.NullMarked;
