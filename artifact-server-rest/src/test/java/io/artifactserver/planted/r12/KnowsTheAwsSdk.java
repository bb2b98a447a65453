package io.artifactserver.planted.r12;

import software.amazon.awssdk.regions.Region;

/** The SDK outside of its backend. */
record KnowsTheAwsSdk(Region region) {}
