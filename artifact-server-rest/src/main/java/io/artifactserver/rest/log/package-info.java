/** What is logged, and how often. */
@NullMarked
package io.artifactserver.rest.log;

import org.jspecify.annotations.NullMarked;
