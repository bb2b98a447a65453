/** Servers that tests of several modules run against. */
@NullMarked
package io.artifactserver.core.testserver;

import org.jspecify.annotations.NullMarked;
