package io.artifactserver.planted.r5a;

import io.artifactserver.planted.r5b.Egg;

/** Half a cycle. */
public record Hen(Egg egg) {}
