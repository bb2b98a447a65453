package io.artifactserver.rest.planted.r3;

import io.artifactserver.storage.planted.r3.Backend;

/** A controller imports no backend. */
record RestThatKnowsStorage(Backend backend) {}
