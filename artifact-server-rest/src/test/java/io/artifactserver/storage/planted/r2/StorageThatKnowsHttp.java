package io.artifactserver.storage.planted.r2;

import io.artifactserver.rest.http.EntityTag;

/** A backend never sees a request. */
record StorageThatKnowsHttp(EntityTag entityTag) {}
