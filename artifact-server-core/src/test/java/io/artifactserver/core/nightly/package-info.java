/** Tests that run every night instead of in every build. */
@org.jspecify.annotations.NullMarked
package io.artifactserver.core.nightly;
