package io.artifactserver.planted.r8;

/** A name that says nothing. */
record BlobHelper(String name) {}
