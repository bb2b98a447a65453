package io.artifactserver.rest.command.client;

import io.artifactserver.core.catalog.ArtifactId;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A file on its way to the server. Shared by the threads that send it.
 *
 * @param channel reads the file; the caller closes it
 * @param id of the artifact that the file becomes
 * @param state remembers the unfinished upload; used by one thread at a time
 * @param sha256 of the file in hexadecimal, as soon as it is known
 * @param sent bytes that went over the network, repeated ones included
 */
record PushedFile(
    Path path,
    FileChannel channel,
    ArtifactId id,
    UploadState state,
    CompletableFuture<String> sha256,
    AtomicLong sent) {}
