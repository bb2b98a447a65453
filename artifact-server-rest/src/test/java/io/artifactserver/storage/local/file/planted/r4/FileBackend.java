package io.artifactserver.storage.local.file.planted.r4;

import io.artifactserver.storage.remote.s3.planted.r4.S3Backend;

/** A backend does not see another. */
record FileBackend(S3Backend other) {}
