package io.artifactserver.planted.r5b;

import io.artifactserver.planted.r5a.Hen;

/** The other half. */
public record Egg(Hen hen) {}
