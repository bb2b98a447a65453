package io.artifactserver.storage.remote.s3.planted.r4;

/** The class that R4's violation sees. */
public record S3Backend(String name) {}
