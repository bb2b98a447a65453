package io.artifactserver.storage.planted.r3;

/** The class that R3's violation sees. */
public record Backend(String name) {}
