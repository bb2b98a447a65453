package io.artifactserver.storage.planted.r3;

/** What R3's violation sees. */
public record Backend(String name) {}
